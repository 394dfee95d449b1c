// Builds Theia from what `npm ci --ignore-scripts` has installed. Nothing but the registries of packages is needed.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";

const RIPGREP = process.env.RIPGREP ?? "/usr/bin/rg"; // Theia's package would fetch a binary
const NATIVE = ["node-pty", "drivelist", "keytar", "nsfw", "@parcel/watcher"];

mkdirSync("node_modules/@vscode/ripgrep/bin", { recursive: true });
copyFileSync(RIPGREP, "node_modules/@vscode/ripgrep/bin/rg");
for (const [command, ...given] of [
  ["npm", "rebuild", ...NATIVE],
  ["npx", "theia", "build", "--mode", "development"],
]) {
  execFileSync(command, given, { stdio: "inherit" });
}
