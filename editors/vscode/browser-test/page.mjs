// What a person does in Theia, as few steps with names.

import { mkdirSync } from "node:fs";
import * as path from "node:path";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PATIENCE = 90_000;

/** Open a browser at an address; `shots` is where the pictures of the steps go. */
export async function opened(address, shots) {
  mkdirSync(shots, { recursive: true });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(PATIENCE);
  await page.goto(address);
  await page.locator(".theia-preload").waitFor({ state: "detached" });
  const person = new Person(browser, page, shots);
  await person.presses("Control+Shift+KeyE"); // the explorer
  return person;
}

class Person {
  constructor(browser, page, shots) {
    [this.browser, this.page, this.shots] = [browser, page, shots];
    this.number = 0;
  }

  /** Take a picture of what is shown. */
  async look(name) {
    this.number += 1;
    await this.page.screenshot({ path: path.join(this.shots, `${this.number}-${name}.png`) });
  }

  /** Wait until a text is shown somewhere. */
  async sees(text, within = "body") {
    await this.page.locator(within).getByText(text).first().waitFor();
  }

  /** Open a file of the explorer. */
  async opens(name) {
    await this.page.locator("#files").getByText(name, { exact: true }).dblclick();
    await this.page.locator(`.lm-TabBar-tab.lm-mod-current`, { hasText: name }).first().waitFor();
    await this.editor().locator(".view-lines").waitFor();
  }

  /** The editor that is in front. */
  editor() {
    return this.page.locator(".theia-editor:not(.lm-mod-hidden)").first();
  }

  /** Wait until so many places of the file in front are underlined. */
  async seesUnderlined(number) {
    await this.page.waitForFunction(
      (wanted) => {
        const shown = [...document.querySelectorAll(".theia-editor:not(.lm-mod-hidden) .squiggly-warning")];
        return shown.length === wanted;
      },
      number,
      { timeout: PATIENCE },
    );
  }

  /** Press keys, one after the other. */
  async presses(...keys) {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Run a command by its name in the palette. */
  async runs(command) {
    await this.presses("F1");
    await this.page.locator(".quick-input-widget input").first().fill(`>${command}`);
    await this.page.locator(".quick-input-list .monaco-list-row").first().click();
  }

  async leaves() {
    await this.browser.close();
  }
}
