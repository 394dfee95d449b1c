// The same workspace, trusted: its interpreter is the one that is started.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as path from "node:path";

export { prepare } from "./restricted.mjs";

async function startsItsInterpreter(person, { root }) {
  await person.opens("train.py");
  await person.sees("ms-perflint 0", "#theia-statusBar");
  await person.seesUnderlined(2);
  assert.ok(existsSync(path.join(root, "started")));
}

export const steps = [startsItsInterpreter];
