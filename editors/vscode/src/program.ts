// The facts of the program that the open file belongs to, as a tree: each line leads to the place that shows it.

import * as vscode from "vscode";
import type { LanguageClient, Range } from "vscode-languageclient/node";
import { Node, Program } from "./protocol";

export const VIEW = "ms-perflint.program";
const OPEN_PLACE = "ms-perflint.openPlace";

/** The tree view; `refresh` asks the server again. */
export class ProgramView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly registered: vscode.Disposable[];
  private document: vscode.TextDocument | undefined;

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.registered = [this.view, vscode.commands.registerCommand(OPEN_PLACE, openPlace)];
  }

  /** Show the program of a document, or what it has become; without one, or while the view is hidden, do nothing. */
  refresh(document: vscode.TextDocument | undefined = this.document): void {
    const isPython = document?.languageId === "python";
    this.document = isPython ? document : this.document;
    if (this.view.visible && this.document !== undefined) {
      this.changes.fire();
    }
  }

  /** Bring the view to the front, with the program of a document. */
  async show(document: vscode.TextDocument | undefined): Promise<void> {
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    this.refresh(document);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node !== undefined) {
      return node.children;
    }
    const client = this.client();
    if (client === undefined || this.document === undefined) {
      return [];
    }
    const uri = client.code2ProtocolConverter.asUri(this.document.uri);
    const answer = await client.sendRequest(Program, { textDocument: { uri } });
    this.view.description = answer?.title;
    return answer?.nodes ?? [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const state = node.children.length > 0 ? vscode.TreeItemCollapsibleState.Collapsed : undefined;
    const item = new vscode.TreeItem(node.label, state);
    item.description = node.description;
    item.tooltip = node.description === "" ? node.label : `${node.label}: ${node.description}`;
    if (node.location !== null) {
      const { uri, range } = node.location;
      item.command = { command: OPEN_PLACE, title: node.label, arguments: [uri, range] };
    }
    return item;
  }

  dispose(): void {
    vscode.Disposable.from(...this.registered, this.changes).dispose();
  }
}

async function openPlace(uri: string, range: Range): Promise<void> {
  const { start, end } = range;
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  await vscode.commands.executeCommand("vscode.open", vscode.Uri.parse(uri), { selection, preview: true });
}
