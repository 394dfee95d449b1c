// "Verify this fix": runs the program as it is and with its fix, in a terminal, and shows the result with the finding.

import * as path from "node:path";
import * as vscode from "vscode";
import { DidChangeWatchedFilesNotification } from "vscode-languageclient/node";
import { SECTION } from "./environment";
import { runsOf } from "./runs";
import type { Command } from "./server";
import type { Session } from "./session";

const NAME = "ms-perflint verify";

/** Run `ms-perflint verify` for a rule in the program of a document, once the user has agreed. */
export async function verify(uri: vscode.Uri, code: string, session: Session): Promise<void> {
  const { client, command, environment } = session;
  const document = await vscode.workspace.openTextDocument(uri);
  const entry = (await runsOf(client, document))?.entry;
  if (command === undefined || client === undefined || entry === undefined || !vscode.workspace.isTrusted) {
    return;
  }
  const run = vscode.l10n.t("Run");
  const title = vscode.l10n.t("Run {0} with and without the fix of {1}?", path.basename(entry), code);
  const detail = vscode.l10n.t("It trains a few steps on this machine, several times, in a copy of the project.");
  const answer = await vscode.window.showInformationMessage(title, { modal: true, detail }, run);
  if (answer !== run) {
    return;
  }
  await document.save();
  const asked = ["--select", code, ...runBy(environment, command)];
  await ended(taskOf(command, entry, asked, vscode.workspace.getWorkspaceFolder(uri)));
  // what was measured is shown with the finding when it is linted again
  await client.sendNotification(DidChangeWatchedFilesNotification.type, { changes: [] });
}

/** Return the option that names the interpreter of the program, where it is another one than that of the server. */
function runBy(environment: string | undefined, command: Command): string[] {
  return environment === undefined || environment === command.interpreter ? [] : ["--python", environment];
}

function taskOf(command: Command, entry: string, asked: string[], folder?: vscode.WorkspaceFolder): vscode.Task {
  const given = [...command.before, "verify", entry, ...asked];
  const cwd = folder?.uri.fsPath ?? path.dirname(entry);
  const execution = new vscode.ProcessExecution(command.executable, given, { cwd });
  const task = new vscode.Task({ type: "process" }, folder ?? vscode.TaskScope.Workspace, NAME, SECTION, execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  return task;
}

async function ended(task: vscode.Task): Promise<void> {
  const begun = await vscode.tasks.executeTask(task);
  await new Promise<void>((resolve) => {
    const listening = vscode.tasks.onDidEndTask((event) => {
      if (event.execution === begun) {
        listening.dispose();
        resolve();
      }
    });
  });
}
