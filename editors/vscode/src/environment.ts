// What VS Code knows about where the server may be: settings, the Python extension, the workspace.

import { PythonExtension } from "@vscode/python-extension";
import * as vscode from "vscode";
import type { Surroundings } from "./server";

export const SECTION = "ms-perflint";
const PYTHON = "ms-python.python";

/** Return what is set and known now. */
export async function surroundings(): Promise<Surroundings> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const settings = vscode.workspace.getConfiguration(SECTION, folders[0]?.uri);
  return {
    path: settings.get<string>("path") ?? "",
    interpreter: settings.get<string>("interpreter") ?? "",
    environment: await interpreterOf(folders[0]?.uri),
    isTrusted: vscode.workspace.isTrusted,
    folders: folders.map((folder) => folder.uri.fsPath),
    search: (process.env.PATH ?? "").split(process.platform === "win32" ? ";" : ":"),
    isWindows: process.platform === "win32",
  };
}

/** Call `changed` whenever another environment is chosen in the Python extension. */
export async function onEnvironment(changed: () => void): Promise<vscode.Disposable | undefined> {
  const python = await pythonExtension();
  return python?.environments.onDidChangeActiveEnvironmentPath(changed);
}

/** Return the interpreter of the environment that is chosen in the Python extension; undefined without one. */
async function interpreterOf(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const python = await pythonExtension();
  const chosen = python?.environments.getActiveEnvironmentPath(folder);
  const environment = chosen && (await python?.environments.resolveEnvironment(chosen));
  return environment ? environment.executable.uri?.fsPath : undefined;
}

async function pythonExtension(): Promise<PythonExtension | undefined> {
  if (vscode.extensions.getExtension(PYTHON) === undefined) {
    return undefined;
  }
  try {
    return await PythonExtension.api();
  } catch {
    return undefined; // one that is too old, or could not start: `PATH` remains
  }
}
