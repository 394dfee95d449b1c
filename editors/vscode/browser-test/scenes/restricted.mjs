// A workspace that nobody trusts brings an interpreter of its own: it is not started.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { writeSpy } from "../theia.mjs";

export const settings = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
};

const marked = (root) => path.join(root, "started");

export function prepare(workspace, root) {
  writeSpy(path.join(workspace, "env", "python"), marked(root));
  const set = JSON.stringify({ "ms-perflint.interpreter": "${workspaceFolder}/env/python" });
  for (const folder of [".vscode", ".theia"]) {
    mkdirSync(path.join(workspace, folder));
    writeFileSync(path.join(workspace, folder, "settings.json"), set);
  }
}

async function startsNothingOfIt(person, { root }) {
  await person.opens("train.py");
  const item = person.page.locator("#theia-statusBar").getByText("ms-perflint", { exact: true });
  await item.hover();
  await person.sees("not started from a workspace that is not trusted");
  await person.look("restricted");
  assert.ok(!existsSync(marked(root)));
}

export const steps = [startsNothingOfIt];
