// Which command starts the language server, and whether it can. Knows nothing of VS Code, so that tests can ask it.

import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";

/** What is set and known when a server is looked for. */
export interface Surroundings {
  /** `ms-perflint.path`, "" where it is not set. */
  path: string;
  /** `ms-perflint.interpreter`, "" where it is not set. */
  interpreter: string;
  /** The interpreter of the environment that the Python extension has chosen. */
  environment?: string;
  /** Whether the user trusts the workspace: else nothing that lies in it is started. */
  isTrusted: boolean;
  /** The folders of the workspace. */
  folders: readonly string[];
  /** The directories of `PATH`. */
  search: readonly string[];
  isWindows: boolean;
}

/** A way to call ms-perflint. */
export interface Command {
  executable: string;
  /** What stands in front of the name of the command, such as `server`. */
  before: readonly string[];
  /** The interpreter to install it for; undefined where a script is called. */
  interpreter?: string;
}

const MODULE = ["-m", "ms_perflint"];
const SCRIPTS = ["ms-perflint"];
const INTERPRETERS = ["python3", "python"];

/** Return the ways to call ms-perflint, the first one that works counts. What is set allows no other. */
export function commands(around: Surroundings, isFile: (name: string) => boolean = isExecutable): Command[] {
  return wanted(around, isFile).filter((command) => mayStart(command.executable, around));
}

function wanted(around: Surroundings, isFile: (name: string) => boolean): Command[] {
  const root = around.folders[0];
  if (around.path !== "") {
    return [{ executable: expanded(around.path, root), before: [] }];
  }
  if (around.interpreter !== "") {
    return [ofPython(expanded(around.interpreter, root))];
  }
  const found: Command[] = [];
  if (around.environment !== undefined) {
    found.push(ofPython(around.environment));
  }
  for (const executable of onPath(SCRIPTS, around, isFile)) {
    found.push({ executable, before: [] });
  }
  for (const executable of onPath(INTERPRETERS, around, isFile)) {
    found.push(ofPython(executable));
  }
  return found;
}

/** Return the command line that installs ms-perflint where a command looks for it. */
export function installation(command: Command | undefined): string {
  const python = command?.interpreter ?? "python";
  const quoted = /\s/.test(python) ? `"${python}"` : python;
  return `${quoted} -m pip install git+URL-OF-THE-REPOSITORY "pygls>=2,<3"`;
}

/** Return why a server cannot be started, in one line; undefined where it can. */
export async function obstacle(command: Command, cwd: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { code, said } = await ended(command, cwd, env);
  // a server whose input ends at once, before the editor took its leave, ends with 1 and says nothing
  if (code === 1 && said === "") {
    return undefined;
  }
  const lines = said.split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines[lines.length - 1] ?? `it ended with ${code}`;
}

/** Return whether an obstacle is that something is not installed. */
export function isMissing(problem: string): boolean {
  return /No module named|the language server needs|语言服务器需要/.test(problem);
}

const PATIENCE = 60_000; // milliseconds: the first start after an installation compiles

function ended(command: Command, cwd: string, env: NodeJS.ProcessEnv): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve) => {
    const process = spawn(command.executable, [...command.before, "server"], { cwd, env, timeout: PATIENCE });
    let said = "";
    process.stderr.on("data", (part: Buffer) => (said += part.toString()));
    process.on("error", (error) => resolve({ code: null, said: reason(error, command.executable) }));
    process.on("close", (code) => resolve({ code, said: said.trim() }));
    process.stdin.on("error", () => undefined); // it has ended before
    process.stdin.end();
  });
}

function reason(error: NodeJS.ErrnoException, executable: string): string {
  return error.code === "ENOENT" ? `${executable}: no such file` : error.message;
}

function ofPython(interpreter: string): Command {
  return { executable: interpreter, before: MODULE, interpreter };
}

/** Return a path as it is meant: `~` is the home directory, `${workspaceFolder}` the first folder. */
function expanded(name: string, root: string | undefined): string {
  const home = name.startsWith("~/") || name.startsWith("~\\") ? path.join(homedir(), name.slice(2)) : name;
  const whole = root === undefined ? home : home.replaceAll("${workspaceFolder}", root);
  const isRelative = /[\\/]/.test(whole) && !path.isAbsolute(whole);
  return isRelative && root !== undefined ? path.resolve(root, whole) : whole;
}

/** Return whether an executable may be started: without trust none that lies in the workspace. */
function mayStart(executable: string, around: Surroundings): boolean {
  return around.isTrusted || !around.folders.some((folder) => isInside(executable, folder));
}

function isInside(name: string, folder: string): boolean {
  const relative = path.relative(folder, name);
  return relative === "" || (!relative.startsWith(`..${path.sep}`) && relative !== ".." && !path.isAbsolute(relative));
}

/** Return where names are found on `PATH`, each in the first directory that has it. */
function onPath(names: readonly string[], around: Surroundings, isFile: (name: string) => boolean): string[] {
  const suffix = around.isWindows ? ".exe" : "";
  const directories = around.search.filter((each) => path.isAbsolute(each)); // others depend on the folder we are in
  return names.flatMap((name) => {
    const whole = directories.map((directory) => path.join(directory, name + suffix));
    return whole.filter((each) => mayStart(each, around) && isFile(each)).slice(0, 1);
  });
}

function isExecutable(name: string): boolean {
  try {
    accessSync(name, constants.X_OK);
    return statSync(name).isFile();
  } catch {
    return false;
  }
}
