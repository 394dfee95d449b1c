// The ways in which a program is run: which one's findings are shown is chosen in the status bar.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { ChooseRun, Runs, RunsAnswer } from "./protocol";

export const CHOOSE_RUN = "ms-perflint.chooseRun";

/** The item of the status bar; it is there for files of programs that are run in several ways. */
export class RunChoice implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("ms-perflint.run", vscode.StatusBarAlignment.Right, 90);
  private readonly command = vscode.commands.registerCommand(CHOOSE_RUN, () => this.choose());
  private asked = 0;
  private answer: RunsAnswer | null = null;

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.item.name = vscode.l10n.t("ms-perflint: run configuration");
    this.item.command = CHOOSE_RUN;
  }

  /** Ask the server again, for the document that is shown. */
  async refresh(document: vscode.TextDocument | undefined): Promise<void> {
    const number = ++this.asked;
    const answer = await runsOf(this.client(), document);
    if (number === this.asked) {
      this.show(answer);
    }
  }

  private show(answer: RunsAnswer | null): void {
    this.answer = answer;
    if (answer === null || answer.runs.length < 2) {
      this.item.hide();
      return;
    }
    this.item.text = `$(play) ${answer.chosen ?? all(answer)}`;
    this.item.tooltip = vscode.l10n.t("ms-perflint: findings of which run configuration of {0}", answer.entry);
    this.item.show();
  }

  private async choose(): Promise<void> {
    const answer = this.answer;
    if (answer === null || answer.runs.length < 2) {
      const text = vscode.l10n.t("The program of this file has one run configuration only.");
      void vscode.window.showInformationMessage(text);
      return;
    }
    const items = [{ label: all(answer), run: null }, ...answer.runs.map((run) => ({ label: run, run }))];
    const placeHolder = vscode.l10n.t("Show the findings of");
    const chosen = await vscode.window.showQuickPick<{ label: string; run: string | null }>(items, { placeHolder });
    if (chosen !== undefined) {
      await this.client()?.sendRequest(ChooseRun, { entry: answer.entry, run: chosen.run });
      this.show({ ...answer, chosen: chosen.run });
    }
  }

  dispose(): void {
    this.item.dispose();
    this.command.dispose();
  }
}

/** Return in which ways the program of a document is run; null where that is not known. */
export async function runsOf(
  client: LanguageClient | undefined,
  document: vscode.TextDocument | undefined,
): Promise<RunsAnswer | null> {
  if (client === undefined || document?.languageId !== "python") {
    return null;
  }
  return client.sendRequest(Runs, { textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) } });
}

function all(answer: RunsAnswer): string {
  return vscode.l10n.t("all {0} run configurations", answer.runs.length);
}
