// All safe fixes on save, for one who has asked for that.

import assert from "node:assert/strict";
import { writtenAs } from "../disk.mjs";

export const settings = { "editor.codeActionsOnSave": { "source.fixAll.ms-perflint": "explicit" } };

async function fixesSafeOnesOnly(person, { workspace }) {
  await person.opens("small.py");
  await person.seesUnderlined(2);
  await person.clicks("CheckpointConfig(");
  await person.types("End", "  # typed");
  await person.presses("Control+KeyS");
  const text = await writtenAs(workspace, "small.py", (found) => found.includes("async_save=True"));
  assert.ok(text.includes("# typed") && !text.includes("dataset_sink_mode"), text);
  await person.seesUnderlined(1);
  await person.look("saved");
}

export const steps = [fixesSafeOnesOnly];
