// Bundles the extension, or with `test` its tests: `node build.mjs [test]`.
import { copyFileSync, readdirSync } from "node:fs";
import { build } from "esbuild";

const isTest = process.argv.includes("test");
const common = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning" };

if (isTest) {
  const entryPoints = readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await build({ ...common, entryPoints, outdir: "out/test", sourcemap: "inline" });
} else {
  copyFileSync("../../LICENSE", "LICENSE"); // the package is under the licence of the whole project
  await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "out/extension.js",
    external: ["vscode"], // given by the editor
    minify: true,
  });
}
