// The walk of a user through the extension in Theia: `node walk.mjs [SCENE...]`. What each step should show is seen in
// the page; pictures are left in shots/.

import { rmSync } from "node:fs";
import * as path from "node:path";
import { opened } from "./page.mjs";
import { HERE, started } from "./theia.mjs";

const PORT = Number(process.env.PORT ?? 3033);
const SCENES = ["tour", "on-save", "notebook", "chinese", "restricted", "trusted", "missing", "killed", "verify"];

/** Play one scene in an editor of its own; return whether all that should be seen was. */
async function isSeen(name) {
  const { steps, locale, ...given } = await import(`./scenes/${name}.mjs`);
  const shots = path.join(HERE, "shots", name);
  rmSync(shots, { recursive: true, force: true });
  const theia = await started(PORT, given);
  const person = await opened(theia.address, shots, locale);
  let step;
  try {
    for (step of steps) {
      await step(person, theia);
      console.log(`ok ${name}: ${step.name}`);
    }
    return true;
  } catch (error) {
    console.error(`not ok ${name}: ${step.name}`, error, theia.log.slice(-20).join(""));
    await person.look("failed");
    return false;
  } finally {
    await person.leaves();
    await theia.end();
  }
}

const chosen = process.argv.slice(2);
for (const name of chosen.length > 0 ? chosen : SCENES) {
  if (!(await isSeen(name))) {
    process.exitCode = 1;
  }
}
