// Quick fixes: unsafe ones ask before they change anything, and each can be verified.

import * as vscode from "vscode";
import type { ProvideCodeActionsSignature, ResolveCodeActionSignature } from "vscode-languageclient/node";
import { SECTION } from "./environment";
import { gradeOf } from "./grades";

type Actions = (vscode.Command | vscode.CodeAction)[];

const MAKE_UNSAFE = "ms-perflint.makeUnsafeFix";
export const VERIFY = "ms-perflint.verifyFix";

/** Return the actions of the server: those with an unsafe fix as commands that ask, and one that verifies a fix. */
export async function provideCodeActions(
  document: vscode.TextDocument,
  range: vscode.Range,
  context: vscode.CodeActionContext,
  token: vscode.CancellationToken,
  next: ProvideCodeActionsSignature,
): Promise<Actions> {
  const found = (await next(document, range, context, token)) ?? [];
  const fixes = found.filter((each) => gradeOf(dataOf(each)) !== undefined);
  found.forEach(makeAsk);
  const codes = new Set(fixes.flatMap((each) => ("diagnostics" in each ? codesOf(each.diagnostics) : [])));
  return [...found, ...[...codes].map((code) => verification(document, code))];
}

/** Return an action with its edit; one that asks has a command in the place of an edit, and needs no server for it. */
export async function resolveCodeAction(
  action: vscode.CodeAction,
  token: vscode.CancellationToken,
  next: ResolveCodeActionSignature,
): Promise<vscode.CodeAction> {
  return action.command !== undefined ? action : ((await next(action, token)) ?? action);
}

/** Register the command that makes an unsafe fix. */
export function register(): vscode.Disposable {
  return vscode.commands.registerCommand(MAKE_UNSAFE, makeUnsafe);
}

function makeAsk(action: vscode.Command | vscode.CodeAction): void {
  const grade = gradeOf(dataOf(action));
  if (grade === "unsafe" && "edit" in action && action.edit !== undefined) {
    // its title says why it is unsafe
    action.command = { command: MAKE_UNSAFE, title: action.title, arguments: [action.title, action.edit] };
    action.edit = undefined;
  }
}

async function makeUnsafe(title: string, edit: vscode.WorkspaceEdit): Promise<void> {
  const make = vscode.l10n.t("Make This Fix");
  if ((await vscode.window.showWarningMessage(title, { modal: true }, make)) === make) {
    await vscode.workspace.applyEdit(edit);
  }
}

function verification(document: vscode.TextDocument, code: string): vscode.CodeAction {
  const title = vscode.l10n.t("{0}: verify this fix (runs the program)", code);
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { command: VERIFY, title, arguments: [document.uri, code] };
  return action;
}

function codesOf(diagnostics: readonly vscode.Diagnostic[] | undefined): string[] {
  const own = (diagnostics ?? []).filter((each) => each.source === SECTION);
  return own.map((each) => String(typeof each.code === "object" ? each.code.value : each.code));
}

function dataOf(action: vscode.Command | vscode.CodeAction): unknown {
  return "data" in action ? action.data : undefined;
}
