// The walk of a user through the extension in Theia; each step is seen in the page, and leaves a picture in shots/.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { opened } from "./page.mjs";
import { HERE, started } from "./theia.mjs";

const PORT = Number(process.env.PORT ?? 3033);

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

async function safeFix(person) {
  await person.opens("small.py");
  await person.seesUnderlined(2);
  await person.fixes("CheckpointConfig(", "MSP301", "safe-fix-menu");
  await person.sees("async_save=True", ".theia-editor:not(.lm-mod-hidden) .view-lines");
  await person.seesUnderlined(1);
  await person.look("safe-fix");
}

async function unsafeFix(person) {
  await person.opens("train.py");
  await person.fixes("PYNATIVE_MODE", "MSP101: compile", "unsafe-fix-menu");
  await person.sees("unsafe fix: the first step takes longer", ".dialogOverlay");
  await person.look("unsafe-fix-asks");
  await person.page.locator(".dialogOverlay").getByRole("button", { name: "Make This Fix" }).click();
  await person.sees("GRAPH_MODE", ".theia-editor:not(.lm-mod-hidden) .view-lines");
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
  const view = ".theia-TreeContainer:visible";
  await person.sees("checkpoints", view);
  await person.opensNode("checkpoints");
  await person.opensNode("CheckpointConfig(");
  await person.look("facts");
  await person.page.locator(view).getByText("async_save: true").click();
  await person.seesCurrent("config.yaml");
  await person.look("place-of-a-fact");
  await person.page.locator(".theia-header", { hasText: "WORKSPACE" }).first().click();
}

async function runConfiguration(person) {
  await person.opens("launched.py");
  await person.seesUnderlined(2);
  await person.page.locator("#theia-statusBar").getByText("run configurations").click();
  await person.look("run-configurations");
  await person.page.locator(".quick-input-list").getByText("graph.sh").click();
  await person.seesUnderlined(1);
  await person.look("one-run-configuration");
}

async function saved(person, workspace) {
  await person.runs("Save All");
  const wanted = "async_save: true";
  for (let left = 50; !readFileSync(path.join(workspace, "config.yaml"), "utf8").includes(wanted); left -= 1) {
    assert.ok(left > 0, "config.yaml is not saved");
    await person.page.waitForTimeout(200);
  }
}

const theia = await started(PORT);
const person = await opened(theia.address, path.join(HERE, "shots"));
let step;
try {
  for (step of [diagnostics, hover, safeFix, unsafeFix, configFile, facts, runConfiguration, saved]) {
    await step(person, theia.workspace);
    console.log(`ok ${step.name}`);
  }
} catch (error) {
  console.error(`not ok ${step.name}`, error, theia.log.slice(-20).join(""));
  await person.look("failed");
  process.exitCode = 1;
} finally {
  await person.leaves();
  await theia.end();
}
