// What lies on the disk, as soon as it does.

import { readFileSync } from "node:fs";
import * as path from "node:path";

const PATIENCE = 60_000;
const PAUSE = 200;

/** Wait until something is true, and return what it is then. */
export async function until(what, holds) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await holds();
    if (found) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`not seen: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** Wait until a file of the workspace is written as it should be; return its text. */
export function writtenAs(workspace, name, isRight) {
  const read = () => readFileSync(path.join(workspace, name), "utf8");
  return until(`${name} as it should be written`, () => isRight(read()) && read());
}
