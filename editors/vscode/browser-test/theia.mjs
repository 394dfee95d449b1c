// Theia with the extension in it: starts its backend on a copy of the sample workspace, and ends it again.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

export const HERE = path.dirname(fileURLToPath(import.meta.url));
const VSIX = process.env.VSIX ?? path.join(HERE, "..", "ms-perflint.vsix");
const PYTHON = process.env.PYTHON ?? "python3"; // with ms-perflint and pygls
const PATIENCE = 120_000;

/** Start Theia; the address of the page, the folder it shows, and a way to end it. */
export async function started(port, settings = {}) {
  const root = mkdtempSync(path.join(tmpdir(), "browser-test-"));
  const [workspace, plugins, home] = ["workspace", "plugins", "home"].map((name) => path.join(root, name));
  cpSync(path.join(HERE, "workspace"), workspace, { recursive: true });
  cpSync(path.join(HERE, "languages"), path.join(plugins, "languages"), { recursive: true });
  execFileSync(PYTHON, ["-m", "zipfile", "-e", VSIX, path.join(plugins, "ms-perflint")]);
  mkdirSync(home);
  const known = { "security.workspace.trust.enabled": false, "files.autoSave": "off", "ms-perflint.interpreter": PYTHON };
  writeFileSync(path.join(home, "settings.json"), JSON.stringify({ ...known, ...settings }));
  const given = [workspace, "--hostname", "127.0.0.1", "--port", String(port), `--plugins=local-dir:${plugins}`];
  const backend = spawn(process.execPath, ["lib/backend/main.js", ...given], {
    cwd: HERE,
    env: { ...process.env, THEIA_CONFIG_DIR: home },
  });
  const log = [];
  const listening = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Theia does not start:\n${log.join("")}`)), PATIENCE);
    for (const stream of [backend.stdout, backend.stderr]) {
      stream.on("data", (part) => {
        log.push(String(part));
        if (/app listening on/i.test(String(part))) {
          clearTimeout(timer);
          resolve();
        }
      });
    }
    backend.on("exit", (code) => reject(new Error(`Theia ended with ${code}:\n${log.join("")}`)));
  });
  await listening;
  const ended = new Promise((resolve) => backend.on("exit", resolve));
  const end = async () => {
    backend.kill();
    await ended;
    rmSync(root, { recursive: true, force: true });
  };
  return { address: `http://127.0.0.1:${port}/#${workspace}`, workspace, end, log };
}
