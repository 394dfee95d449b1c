// A notebook, cell by cell.

import { writtenAs } from "../disk.mjs";

async function findingInItsCell(person) {
  await person.opensNotebook("train.ipynb");
  await person.sees("ms-perflint 0", "#theia-statusBar");
  await person.seesUnderlined(1);
  await person.look("finding-in-a-cell");
}

async function fixInItsCell(person, { workspace }) {
  await person.fixes("CheckpointConfig(", "MSP301", "fix-menu");
  await person.seesInFile("async_save=True");
  await person.seesUnderlined(0);
  await person.look("fixed-cell");
  await person.presses("Control+KeyS");
  await writtenAs(workspace, "train.ipynb", (text) => text.includes("async_save=True"));
}

export const steps = [findingInItsCell, fixInItsCell];
