// Theia with the extension in it: starts its backend on a copy of the sample workspace, and ends it again.

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

export const HERE = path.dirname(fileURLToPath(import.meta.url));
const given = process.env.PYTHON ?? "python3"; // with ms-perflint and pygls
export const PYTHON = given.includes("/") ? path.resolve(given) : given;
const VSIX = process.env.VSIX ?? path.join(HERE, "..", "ms-perflint.vsix");
const PATIENCE = 120_000;
const SETTINGS = { "security.workspace.trust.enabled": false, "files.autoSave": "off", "ms-perflint.interpreter": PYTHON };

/**
 * Start Theia on a copy of the workspace. `settings` are those of the user, `environment` are variables of all
 * processes; `prepare` changes the workspace before, and may return more settings.
 */
export async function started(port, { settings = {}, environment = {}, prepare = () => ({}) } = {}) {
  const root = mkdtempSync(path.join(tmpdir(), "browser-test-"));
  const [workspace, plugins, home] = ["workspace", "plugins", "home"].map((name) => path.join(root, name));
  cpSync(path.join(HERE, "workspace"), workspace, { recursive: true });
  cpSync(path.join(HERE, "stand-in"), path.join(plugins, "stand-in"), { recursive: true });
  execFileSync(PYTHON, ["-m", "zipfile", "-e", VSIX, path.join(plugins, "ms-perflint")]);
  mkdirSync(home);
  const set = { ...SETTINGS, ...settings, ...prepare(workspace, root) };
  writeFileSync(path.join(home, "settings.json"), JSON.stringify(set));
  const served = ["--hostname", "127.0.0.1", "--port", String(port), `--plugins=local-dir:${plugins}`];
  const backend = spawn(process.execPath, ["lib/backend/main.js", workspace, ...served], {
    cwd: HERE,
    env: { ...process.env, THEIA_CONFIG_DIR: home, ...environment },
  });
  const log = [];
  await listening(backend, log);
  const ended = new Promise((resolve) => backend.on("exit", resolve));
  const end = async () => {
    backend.kill();
    await ended;
    rmSync(root, { recursive: true, force: true });
  };
  return { address: `http://127.0.0.1:${port}/#${workspace}`, workspace, root, pid: backend.pid, log, end };
}

function listening(backend, log) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Theia does not start:\n${log.join("")}`)), PATIENCE);
    const settled = (settle, value) => {
      clearTimeout(timer);
      settle(value);
    };
    for (const stream of [backend.stdout, backend.stderr]) {
      stream.on("data", (part) => {
        log.push(String(part));
        if (/app listening on/i.test(String(part))) {
          settled(resolve);
        }
      });
    }
    backend.on("exit", (code) => settled(reject, new Error(`Theia ended with ${code}:\n${log.join("")}`)));
  });
}

/** Return the numbers of the language servers that a Theia runs, as Linux lists processes. */
export function servers({ pid }) {
  const parents = new Map();
  const found = [];
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    try {
      const status = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]));
      if (/ms_perflint\0server\0/.test(readFileSync(`/proc/${name}/cmdline`, "utf8"))) {
        found.push(Number(name));
      }
    } catch {
      continue; // it has ended meanwhile
    }
  }
  const isBelow = (each) => each === pid || (parents.has(each) && isBelow(parents.get(each)));
  return found.filter(isBelow);
}

/** Write an interpreter that notes that it was started, and then is the real one. */
export function writeSpy(file, mark) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\ntouch '${mark}'\nexec '${PYTHON}' "$@"\n`);
  chmodSync(file, 0o755);
}
