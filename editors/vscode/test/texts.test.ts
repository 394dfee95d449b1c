import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

type Texts = Record<string, string>;

const CALL = /l10n\.t\(\s*"((?:[^"\\]|\\.)*)"/g;

function read(name: string): Texts {
  return JSON.parse(readFileSync(name, "utf8")) as Texts;
}

function holes(text: string): string[] {
  return [...text.matchAll(/\{\d\}/g)].map(([hole]) => hole).sort();
}

describe("the Chinese texts", () => {
  it("are there for all that the extension says", () => {
    const sources = readdirSync("src").map((name) => readFileSync(`src/${name}`, "utf8"));
    const said = new Set(sources.flatMap((source) => [...source.matchAll(CALL)].map(([, text]) => text)));
    const chinese = read("l10n/bundle.l10n.zh-cn.json");
    assert.ok(said.size > 10);
    assert.deepEqual(Object.keys(chinese).sort(), [...said].sort());
    for (const [text, translated] of Object.entries(chinese)) {
      assert.deepEqual(holes(translated), holes(text), text);
    }
  });

  it("are there for all that package.json names", () => {
    const named = [...readFileSync("package.json", "utf8").matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key);
    for (const name of ["package.nls.json", "package.nls.zh-cn.json"]) {
      assert.deepEqual(Object.keys(read(name)).sort(), [...new Set(named)].sort(), name);
    }
  });
});
