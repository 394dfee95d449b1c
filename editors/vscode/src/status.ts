// The item of the status bar: the version of the server, and its state.

import * as vscode from "vscode";

export const MENU = "ms-perflint.menu";

export type Condition = "starting" | "running" | "stopped" | "missing" | "restricted";

/** Shows how the server is; a click opens the menu. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("ms-perflint.status", vscode.StatusBarAlignment.Right, 91);

  constructor() {
    this.item.name = "ms-perflint";
    this.item.command = MENU;
    this.item.show();
  }

  /** Show a condition; `detail` is the version of a server that runs, else why it does not. */
  show(condition: Condition, detail = ""): void {
    const icon = { starting: "$(loading~spin)", running: "$(check)" }[condition as "starting" | "running"] ?? "$(warning)";
    this.item.text = condition === "running" ? `${icon} ms-perflint ${detail}`.trim() : `${icon} ms-perflint`;
    const said = this.said(condition);
    this.item.tooltip = condition === "running" || detail === "" ? said : `${said}: ${detail}`;
    const isBad = condition === "stopped" || condition === "missing";
    this.item.backgroundColor = isBad ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  }

  private said(condition: Condition): string {
    switch (condition) {
      case "starting":
        return vscode.l10n.t("ms-perflint: the server starts");
      case "running":
        return vscode.l10n.t("ms-perflint: the server runs");
      case "stopped":
        return vscode.l10n.t("ms-perflint: the server has stopped");
      case "missing":
        return vscode.l10n.t("ms-perflint: the server is not there");
      case "restricted":
        return vscode.l10n.t("ms-perflint: not started from a workspace that is not trusted");
    }
  }

  dispose(): void {
    this.item.dispose();
  }
}
