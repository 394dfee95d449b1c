// What the server answers beyond the protocol of language servers: see "Requests beyond the protocol" in docs/editors.md.

import { RequestType } from "vscode-languageclient/node";
import type { Location, TextDocumentIdentifier } from "vscode-languageclient/node";

export interface DocumentParams {
  textDocument: TextDocumentIdentifier;
}

/** One line of the facts of a program. */
export interface Node {
  label: string;
  description: string;
  location: Location | null;
  children: Node[];
}

/** The facts of the program of a file. */
export interface ProgramAnswer {
  title: string;
  nodes: Node[];
}

/** The ways in which the program of a file is run. */
export interface RunsAnswer {
  /** The path of the script that starts it. */
  entry: string;
  runs: string[];
  /** The one whose findings are shown; null: all. */
  chosen: string | null;
}

export const Program = new RequestType<DocumentParams, ProgramAnswer | null, void>("ms-perflint/program");
export const Runs = new RequestType<DocumentParams, RunsAnswer | null, void>("ms-perflint/runs");
export const ChooseRun = new RequestType<{ entry: string; run: string | null }, null, void>("ms-perflint/chooseRun");
