// A notebook, cell by cell.

import { writtenAs } from "../disk.mjs";

const CELLS = ".theia-notebook-cell";

async function findingInItsCell(person) {
  await person.opensNotebook("train.ipynb");
  await person.sees("ms-perflint 0", "#theia-statusBar");
  await person.page.locator(`${CELLS} .squiggly-warning`).first().waitFor();
  await person.look("finding-in-a-cell");
}

async function fixInItsCell(person, { workspace }) {
  await person.fixes("CheckpointConfig(", "MSP301", "fix-menu");
  await person.sees("async_save=True", CELLS);
  await person.page.locator(`${CELLS} .squiggly-warning`).first().waitFor({ state: "detached" });
  await person.look("fixed-cell");
  await person.presses("Control+KeyS");
  await writtenAs(workspace, "train.ipynb", (text) => text.includes("async_save=True"));
}

export const steps = [findingInItsCell, fixInItsCell];
