// The walk through all that the extension shows, in one window.

import assert from "node:assert/strict";
import { writtenAs } from "../disk.mjs";

const VIEW = ".theia-TreeContainer:visible";

async function diagnostics(person) {
  await person.opens("train.py");
  await person.sees("ms-perflint 0", "#theia-statusBar");
  await person.seesUnderlined(2);
  await person.presses("Control+Shift+KeyM"); // the problems
  await person.sees("MSP101", "#problems");
  await person.sees("MSP301", "#problems");
  await person.look("diagnostics");
}

async function hover(person) {
  await person.hovers("PYNATIVE_MODE");
  await person.sees("compile the whole step", ".monaco-hover");
  await person.look("hover");
}

async function safeFix(person, { workspace }) {
  await person.opens("small.py");
  await person.seesUnderlined(2);
  await person.clicks("CheckpointConfig(");
  await person.types("End", "  # saved as it is");
  await person.presses("Control+KeyS");
  await writtenAs(workspace, "small.py", (text) => text.includes("# saved as it is"));
  await writtenAs(workspace, "small.py", (text) => !text.includes("async_save")); // no fixes on save unasked
  await person.fixes("CheckpointConfig(", "MSP301", "safe-fix-menu");
  await person.seesInFile("async_save=True");
  await person.seesUnderlined(1);
  await person.look("safe-fix");
}

async function unsafeFix(person) {
  await person.opens("train.py");
  await person.fixes("PYNATIVE_MODE", "MSP101: compile", "unsafe-fix-menu");
  await person.sees("unsafe fix: the first step takes longer", ".dialogOverlay");
  await person.look("unsafe-fix-asks");
  await person.agrees("Make This Fix");
  await person.seesInFile("GRAPH_MODE");
  await person.seesUnderlined(1);
  await person.look("unsafe-fix");
}

async function configFile(person) {
  await person.opens("config.yaml");
  await person.seesUnderlined(1);
  await person.look("finding-in-yaml");
  await person.puts("async_save: false", "async_save: true");
  await person.seesUnderlined(0);
  await person.look("yaml-fixed");
  await person.opens("train.py");
  await person.seesUnderlined(0);
  await person.look("script-follows");
}

async function facts(person) {
  await person.page.locator(".theia-header", { hasText: "WORKSPACE" }).first().click(); // makes room
  await person.runs("ms-perflint: Show the Program");
  await person.sees("checkpoints", VIEW);
  await person.opensNode("checkpoints");
  await person.opensNode("CheckpointConfig(");
  await person.look("facts");
  await person.page.locator(VIEW).getByText("async_save: true").click();
  await person.seesCurrent("config.yaml");
  await person.look("place-of-a-fact");
  await person.page.locator(".theia-header", { hasText: "WORKSPACE" }).first().click();
}

async function runConfiguration(person) {
  await person.opens("launched.py");
  await person.seesUnderlined(2);
  await person.page.locator("#theia-statusBar").getByText("run configurations").click();
  await person.sees("eager.sh", ".quick-input-list");
  await person.look("run-configurations");
  await person.page.locator(".quick-input-list").getByText("graph.sh").click();
  await person.seesUnderlined(1);
  await person.sees("graph.sh", "#theia-statusBar");
  await person.look("one-run-configuration");
  await person.page.locator("#theia-statusBar").getByText("graph.sh").click();
  await person.page.locator(".quick-input-list").getByText("all 3 run configurations").click();
  await person.seesUnderlined(2);
}

async function saved(person, { workspace }) {
  await person.runs("Save All");
  const text = await writtenAs(workspace, "config.yaml", (found) => found.includes("async_save: true"));
  assert.ok(!text.includes("false"));
}

export const steps = [diagnostics, hover, safeFix, unsafeFix, configFile, facts, runConfiguration, saved];
