// The extension: starts the server, and shows what it knows beyond what editors show by themselves.

import * as vscode from "vscode";
import { onEnvironment, SECTION } from "./environment";
import * as fixes from "./fixes";
import { ProgramView } from "./program";
import { CHOOSE_RUN, RunChoice } from "./runs";
import { Session } from "./session";
import { MENU, Status } from "./status";
import { verify } from "./verify";

const RESTART = "ms-perflint.restart";
const SHOW_LOG = "ms-perflint.showLog";
const SHOW_PROGRAM = "ms-perflint.showProgram";
const PAUSE = 500; // milliseconds after a change of findings until the facts are asked for again

let session: Session | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("ms-perflint", { log: true });
  const status = new Status();
  const client = () => session?.client;
  const [view, choice] = [new ProgramView(client), new RunChoice(client)];
  const refresh = () => {
    const document = vscode.window.activeTextEditor?.document;
    view.refresh(document);
    choice.refresh(document).catch((error) => log.error(String(error)));
  };
  session = new Session(status, log, context.extensionPath, refresh);
  context.subscriptions.push(log, status, view, choice, fixes.register(), ...registered(session, view, log));
  context.subscriptions.push(
    vscode.window.onDidChangeActiveTextEditor(refresh),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.path`) || event.affectsConfiguration(`${SECTION}.interpreter`)) {
        void session?.restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void session?.restart()),
    whenQuiet(vscode.workspace.onDidChangeTextDocument, refresh),
  );
  await session.restart();
  const environment = await onEnvironment(() => void session?.restart());
  if (environment !== undefined) {
    context.subscriptions.push(environment);
  }
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}

function registered(session: Session, view: ProgramView, log: vscode.LogOutputChannel): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  return [
    register(RESTART, () => session.restart()),
    register(SHOW_LOG, () => log.show()),
    register(SHOW_PROGRAM, () => view.show(vscode.window.activeTextEditor?.document)),
    register(fixes.VERIFY, (uri: vscode.Uri, code: string) => verify(uri, code, session)),
    register(MENU, menu),
  ];
}

async function menu(): Promise<void> {
  const items = [
    { label: vscode.l10n.t("Show the Program"), command: SHOW_PROGRAM },
    { label: vscode.l10n.t("Choose the Run Configuration"), command: CHOOSE_RUN },
    { label: vscode.l10n.t("Restart the Server"), command: RESTART },
    { label: vscode.l10n.t("Show the Log"), command: SHOW_LOG },
  ];
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: "ms-perflint" });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
  }
}

/** Call a function once an event has not come again for a while. */
function whenQuiet<Event>(event: vscode.Event<Event>, call: () => void): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const listening = event(() => {
    clearTimeout(timer);
    timer = setTimeout(call, PAUSE);
  });
  return new vscode.Disposable(() => {
    clearTimeout(timer);
    listening.dispose();
  });
}
