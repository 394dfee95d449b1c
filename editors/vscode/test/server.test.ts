import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import { commands, installation, isMissing, obstacle } from "../src/server";
import type { Surroundings } from "../src/server";

const AROUND: Surroundings = {
  path: "",
  interpreter: "",
  isTrusted: true,
  folders: ["/home/me/project"],
  search: [],
  isWindows: false,
};
const there = () => true;
const nothing = () => false;

function executables(given: Partial<Surroundings>, isFile: (name: string) => boolean = nothing): string[] {
  return commands({ ...AROUND, ...given }, isFile).map((command) => command.executable);
}

describe("the command that starts the server", () => {
  it("is the one that is set, and no other", () => {
    const environment = "/env/bin/python";
    const search = ["/usr/bin"];
    assert.deepEqual(commands({ ...AROUND, path: "/a/ms-perflint", interpreter: "/b/python", environment, search }, there), [
      { executable: "/a/ms-perflint", before: [] },
    ]);
    assert.deepEqual(commands({ ...AROUND, interpreter: "/b/python", environment, search }, there), [
      { executable: "/b/python", before: ["-m", "ms_perflint"], interpreter: "/b/python" },
    ]);
  });

  it("is that of the environment, then what is found on PATH", () => {
    const found = executables({ environment: "/env/bin/python", search: ["/usr/bin", "/usr/local/bin"] }, there);
    assert.deepEqual(found, ["/env/bin/python", "/usr/bin/ms-perflint", "/usr/bin/python3", "/usr/bin/python"]);
    const second = (name: string) => name === "/usr/local/bin/python3";
    assert.deepEqual(executables({ search: ["/usr/bin", "/usr/local/bin"] }, second), ["/usr/local/bin/python3"]);
  });

  it("is not looked for where PATH depends on the folder", () => {
    assert.deepEqual(executables({ search: ["", ".", "bin"] }, there), []);
  });

  it("ends in .exe on Windows", () => {
    assert.deepEqual(executables({ search: ["/bin"], isWindows: true }, (name) => name.endsWith("ms-perflint.exe")), [
      "/bin/ms-perflint.exe",
    ]);
  });

  it("is written with the home directory and the folder", () => {
    assert.deepEqual(executables({ interpreter: "~/env/bin/python" }), [path.join(homedir(), "env/bin/python")]);
    for (const interpreter of ["${workspaceFolder}/.venv/bin/python", ".venv/bin/python", "./.venv/bin/python"]) {
      assert.deepEqual(executables({ interpreter }), ["/home/me/project/.venv/bin/python"]);
    }
    assert.deepEqual(executables({ interpreter: "python3.11" }), ["python3.11"]);
  });

  it("does not lie in a workspace that is not trusted, however it is found", () => {
    const inside = "/home/me/project/.venv/bin/python";
    for (const given of [
      { environment: inside },
      { interpreter: inside },
      { interpreter: "${workspaceFolder}/.venv/bin/python" },
      { interpreter: ".venv/bin/python" },
      { path: "/home/me/project/ms-perflint" },
      { search: ["/home/me/project/bin", "/home/me/project"] },
    ]) {
      assert.deepEqual(executables({ ...given, isTrusted: false }, there), [], JSON.stringify(given));
      assert.notDeepEqual(executables({ ...given, isTrusted: true }, there), []);
    }
  });

  it("may lie beside a workspace that is not trusted", () => {
    assert.deepEqual(executables({ interpreter: "/home/me/project-env/python", isTrusted: false }), ["/home/me/project-env/python"]);
    assert.deepEqual(executables({ interpreter: "/home/me/..env/python", isTrusted: false }), ["/home/me/..env/python"]);
  });
});

describe("what to install", () => {
  it("is said for the interpreter that was looked at", () => {
    const command = (interpreter: string) => ({ executable: interpreter, before: [], interpreter });
    assert.equal(installation(command("/env/bin/python")), '/env/bin/python -m pip install git+URL-OF-THE-REPOSITORY "pygls>=2,<3"');
    assert.equal(installation(command("/my env/python")), '"/my env/python" -m pip install git+URL-OF-THE-REPOSITORY "pygls>=2,<3"');
    assert.equal(installation(undefined), 'python -m pip install git+URL-OF-THE-REPOSITORY "pygls>=2,<3"');
    assert.equal(installation({ executable: "/a/ms-perflint", before: [] }), 'python -m pip install git+URL-OF-THE-REPOSITORY "pygls>=2,<3"');
  });
});

describe("a server that is tried", () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), "ms-perflint-"))));
  afterEach(() => rmSync(folder, { recursive: true }));

  async function tried(script: string): Promise<string | undefined> {
    const executable = path.join(folder, "server");
    writeFileSync(executable, `#!/bin/sh\n${script}\n`);
    chmodSync(executable, 0o755);
    return obstacle({ executable, before: [] }, folder, process.env);
  }

  it("is there when it ends as a server does whose input ends", async () => {
    assert.equal(await tried('[ "$1" = server ] && exit 1'), undefined);
  });

  it("is not there when it says why, in the last line", async () => {
    assert.equal(await tried('echo Traceback >&2; echo "No module named ms_perflint" >&2; exit 1'), "No module named ms_perflint");
    assert.equal(await tried("exit 3"), "it ended with 3");
    assert.equal(await tried("exit 0"), "it ended with 0");
  });

  it("is not there when it cannot be started", async () => {
    const executable = path.join(folder, "none");
    const said = await obstacle({ executable, before: [] }, folder, process.env);
    assert.equal(said, `${executable}: no such file`);
    assert.ok(!isMissing(said)); // to install something for it would not help
  });

  it("is missing, or broken", () => {
    assert.ok(isMissing("/usr/bin/python3: No module named ms_perflint"));
    assert.ok(isMissing('ms-perflint: the language server needs pygls: install it with `pip install "pygls>=2,<3"`'));
    assert.ok(!isMissing("SyntaxError: invalid syntax"));
    assert.ok(!isMissing("it ended with 3"));
  });
});
