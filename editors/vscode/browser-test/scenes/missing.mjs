// An environment without ms-perflint: one line says what to install.

import { execFileSync } from "node:child_process";
import * as path from "node:path";
import { PYTHON } from "../theia.mjs";

export const environment = { PYTHONPATH: "" };

export function prepare(_, root) {
  const folder = path.join(root, "bare");
  execFileSync(PYTHON, ["-m", "venv", "--without-pip", folder]);
  return { "ms-perflint.interpreter": path.join(folder, "bin", "python") };
}

async function saysWhatToInstall(person, { root }) {
  await person.opens("train.py");
  await person.sees(`ms-perflint is not installed: ${root}/bare/bin/python -m pip install`);
  await person.look("missing");
}

export const steps = [saysWhatToInstall];
