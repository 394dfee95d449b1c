// The server is killed, again and again: it comes back three times, and then when it is told to.

import assert from "node:assert/strict";
import { until } from "../disk.mjs";
import { servers } from "../theia.mjs";

const RESTARTS = 3;

async function comesBack(person, theia) {
  await person.opens("train.py");
  await person.seesUnderlined(2);
  for (let number = 0; number < RESTARTS; number += 1) {
    const before = await kills(theia);
    await until("another server", () => servers(theia).some((each) => each !== before));
    await person.puts("PYNATIVE_MODE", "ms.set_context(mode=ms.GRAPH_MODE)");
    await person.seesUnderlined(1);
    await person.puts("GRAPH_MODE", "ms.set_context(mode=ms.PYNATIVE_MODE)");
    await person.seesUnderlined(2);
  }
}

async function staysDown(person, theia) {
  await kills(theia);
  await person.sees("ms-perflint ended 4 times in 3 minutes and is not started again.");
  await person.seesUnderlined(0);
  await person.look("stopped");
  assert.deepEqual(servers(theia), []);
}

async function restartsWhenTold(person, theia) {
  await person.runs("ms-perflint: Restart the Server");
  await until("another server", () => servers(theia).length === 1);
  await person.seesUnderlined(2);
  await person.look("restarted");
}

async function kills(theia) {
  const [server] = await until("a server", () => servers(theia).length === 1 && servers(theia));
  process.kill(server, "SIGKILL");
  await until("the end of the server", () => !servers(theia).includes(server));
  return server;
}

export const steps = [comesBack, staysDown, restartsWhenTold];
