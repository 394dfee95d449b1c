// The client of the language server.

import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, TransportKind } from "vscode-languageclient/node";
import type { ErrorHandler, Executable, LanguageClientOptions } from "vscode-languageclient/node";
import { SECTION } from "./environment";
import { provideCodeActions, resolveCodeAction } from "./fixes";
import type { Command } from "./server";
import { forServer } from "./settings";

const RESTARTS = 3; // within the minutes below; then it stays down, and the user is told
const MINUTES = 3;
const CONFIGS = ["yaml", "json", "toml", "ini", "shellscript"]; // what programs read, and what starts them

/** Return the environment of the server: what it says may be Chinese wherever it runs. */
export function environmentOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PYTHONUTF8: "1" };
}

/** Return a client that is not started yet. */
export function clientOf(command: Command, cwd: string): LanguageClient {
  const server: Executable = {
    command: command.executable,
    args: [...command.before, "server"],
    transport: TransportKind.stdio,
    // not in the workspace: `python -m` would take modules from there for its own
    options: { cwd, env: environmentOf(process.env) },
  };
  const selector = ["file", "untitled"].flatMap((scheme) => [
    { scheme, language: "python" },
    ...CONFIGS.map((language) => ({ scheme, language })),
  ]);
  const options: LanguageClientOptions = {
    documentSelector: [...selector, { notebook: "jupyter-notebook", language: "python" }],
    errorHandler: restarting(),
    middleware: {
      provideCodeActions,
      resolveCodeAction,
      workspace: {
        configuration: async (params, token, next) => {
          const found = await next(params, token);
          return Array.isArray(found) ? found.map(forServer) : found;
        },
      },
    },
  };
  return new LanguageClient(SECTION, SECTION, server, options);
}

/** Start a server again that has died, unless it keeps dying. */
function restarting(): ErrorHandler {
  let deaths: number[] = [];
  return {
    error: () => ({ action: ErrorAction.Continue }), // when the server is gone, that is told next
    closed: () => {
      const now = Date.now();
      deaths = [...deaths.filter((each) => now - each < MINUTES * 60_000), now];
      if (deaths.length <= RESTARTS) {
        return { action: CloseAction.Restart, handled: true }; // the status bar shows it
      }
      const text = vscode.l10n.t("ms-perflint ended {0} times in {1} minutes and is not started again.", deaths.length, MINUTES);
      return { action: CloseAction.DoNotRestart, message: text };
    },
  };
}
