// "Verify this fix" runs the program in a terminal; without MindSpore it says what it lacks.

import { spawnSync } from "node:child_process";
import { TRIES } from "../page.mjs";
import { PYTHON } from "../theia.mjs";

const LONG = 400_000; // milliseconds: the program runs six times
const QUESTION = "Run trained.py with and without the fix of MSP101?";
const find = "import importlib.util, sys; sys.exit(importlib.util.find_spec('mindspore') is None)";
const hasMindSpore = spawnSync(PYTHON, ["-c", find]).status === 0;

async function asks(person) {
  await person.opens("trained.py");
  await person.seesUnderlined(1);
  for (let left = TRIES; left > 0; left -= 1) {
    await person.fixes("PYNATIVE_MODE", "verify this fix", "verify-menu");
    if (await person.seesSoon(QUESTION, ".dialogOverlay")) {
      break; // where Theia asks for the fixes again meanwhile, it forgets the command behind the one that was taken
    }
  }
  await person.sees(QUESTION, ".dialogOverlay");
  await person.look("verify-asks");
  await person.agrees("Run");
}

async function measures(person) {
  await person.seesWritten(hasMindSpore ? "MSP101 (unsafe)" : "has no MindSpore", LONG);
  await person.look("verified");
}

async function tells(person) {
  if (hasMindSpore) {
    await person.hovers("PYNATIVE_MODE");
    await person.sees("on CPU:", ".monaco-hover");
    await person.look("measured-hover");
  }
}

export const steps = [asks, measures, tells];
