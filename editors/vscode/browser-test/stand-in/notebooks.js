// Reads and writes the cells of notebooks: all that an editor needs to show them.

const vscode = require("vscode");

const { Code, Markup } = vscode.NotebookCellKind;

function deserializeNotebook(bytes) {
  const { cells } = JSON.parse(new TextDecoder().decode(bytes));
  return new vscode.NotebookData(
    cells.map(({ cell_type: type, source }) =>
      type === "code"
        ? new vscode.NotebookCellData(Code, source.join(""), "python")
        : new vscode.NotebookCellData(Markup, source.join(""), "markdown"),
    ),
  );
}

function serializeNotebook({ cells }) {
  const written = cells.map(({ kind, value }) => {
    const source = value.split(/(?<=\n)/);
    return kind === Code
      ? { cell_type: "code", source, metadata: {}, execution_count: null, outputs: [] }
      : { cell_type: "markdown", source, metadata: {} };
  });
  const notebook = { cells: written, metadata: {}, nbformat: 4, nbformat_minor: 4 };
  return new TextEncoder().encode(JSON.stringify(notebook, null, 1));
}

exports.activate = (context) => {
  const format = { deserializeNotebook, serializeNotebook };
  context.subscriptions.push(vscode.workspace.registerNotebookSerializer("jupyter-notebook", format));
};
