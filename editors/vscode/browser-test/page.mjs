// What a person does in Theia, as few steps with names.

import { mkdirSync } from "node:fs";
import * as path from "node:path";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PATIENCE = 90_000;
const FRONT = ":is(.theia-editor:not(.lm-mod-hidden), .theia-notebook-cell)"; // what one writes into
export const TRIES = 3;
const SETTLED = 500; // milliseconds: menus and boxes fade in

/** Open a browser at an address, in a language; `shots` is where the pictures of the steps go. */
export async function opened(address, shots, locale = "en") {
  mkdirSync(shots, { recursive: true });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript((chosen) => localStorage.setItem("localeId", chosen), locale);
  await page.goto(address);
  await page.locator(".theia-preload").waitFor({ state: "detached" });
  const person = new Person(browser, page, shots);
  await person.presses("Control+Shift+KeyE"); // the explorer
  await page.locator("#files").waitFor();
  await person.drags({ x: 244, y: 400 }, { x: 460, y: 400 }); // makes it wider
  return person;
}

class Person {
  constructor(browser, page, shots) {
    [this.browser, this.page, this.shots] = [browser, page, shots];
    this.number = 0;
  }

  /** Drag something from one place to another. */
  async drags(from, to) {
    await this.page.mouse.move(from.x, from.y);
    await this.page.mouse.down();
    await this.page.mouse.move(to.x, to.y, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Take a picture of what is shown, once it has stopped moving. */
  async look(name) {
    this.number += 1;
    await this.page.waitForTimeout(SETTLED);
    await this.page.screenshot({ path: path.join(this.shots, `${this.number}-${name}.png`) });
  }

  /** Wait until a text is shown somewhere. */
  async sees(text, within = "body") {
    await this.page.locator(within).getByText(text).first().waitFor();
  }

  /** Return whether a text is shown within a third of the usual time. */
  async seesSoon(text, within) {
    const shown = this.page.locator(within).getByText(text).first();
    return shown.waitFor({ timeout: PATIENCE / TRIES }).then(() => true, () => false);
  }

  /** Wait until a text is shown nowhere. */
  async seesNoMore(text, within = "body") {
    await this.page.locator(within).getByText(text).first().waitFor({ state: "hidden" });
  }

  /** Open a file of the explorer. */
  async opens(name) {
    await this.page.locator("#files").getByText(name, { exact: true }).dblclick();
    await this.seesCurrent(name);
    await this.page.locator(`${FRONT} .view-lines`).first().waitFor();
  }

  /** Open a notebook of the explorer. */
  async opensNotebook(name) {
    await this.page.locator("#files").getByText(name, { exact: true }).dblclick();
    await this.seesCurrent(name);
    await this.page.locator(`${FRONT} .view-lines`).first().waitFor();
  }

  /** Wait until a terminal shows a text. It paints it, so that its buffer is asked, and not the page. */
  async seesWritten(text, timeout) {
    await this.page.waitForFunction(
      (wanted) => {
        const { container } = window.theia;
        let shell;
        container._bindingDictionary.traverse((key) => (shell = key?.name === "ApplicationShell" ? container.get(key) : shell));
        const buffers = shell.widgets.filter((widget) => widget.term !== undefined).map((widget) => widget.term.buffer.active);
        const lines = buffers.flatMap((buffer) => Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row)));
        return lines.map((line) => (line.isWrapped ? "" : "\n") + line.translateToString()).join("").includes(wanted);
      },
      text,
      { timeout, polling: 500 },
    );
  }

  /** Wait until a file is in front. */
  async seesCurrent(name) {
    await this.page.locator(".lm-TabBar-tab.lm-mod-current", { hasText: name }).first().waitFor();
  }

  /** Put the pointer on a word of the file in front. */
  async hovers(word) {
    const { x, y } = await this.at(word);
    await this.page.mouse.move(x, y, { steps: 4 });
  }

  /** Put the cursor on a word of the file in front. */
  async clicks(word) {
    const { x, y } = await this.at(word);
    await this.page.mouse.click(x, y);
  }

  /** Press a button of the dialog in front. */
  async agrees(button) {
    await this.page.locator(".dialogOverlay").getByRole("button", { name: button }).click();
  }

  /** Put the cursor on a word of the file in front, ask for its fixes, and take one. */
  async fixes(word, title, name) {
    const row = this.page.locator(".action-widget .monaco-list-row.action", { hasText: title }).first();
    await this.clicks(word);
    for (let left = TRIES; left > 0; left -= 1) {
      await this.presses("Control+Period");
      const isThere = await row.waitFor({ timeout: PATIENCE / TRIES }).then(() => true, () => false);
      if (isThere) {
        break;
      }
      await this.presses("Escape"); // Theia asks while it still saves, and shows that there is nothing
    }
    await this.look(name);
    await row.dispatchEvent("click"); // what catches clicks beside the menu lies over it
  }

  /** Select a text of the file in front, and type another one. */
  async puts(text, other) {
    await this.clicks(text);
    await this.presses("Home", "Shift+End");
    await this.page.keyboard.type(other);
  }

  /** Open what is below a line of a tree. */
  async opensNode(label) {
    const node = this.page.locator(".theia-TreeNode:visible", { hasText: label }).first();
    await node.locator(".theia-ExpansionToggle").click();
  }

  /** Return the middle of a text of the file in front, once it is there. */
  async at(text) {
    const found = await this.page.waitForFunction(({ wanted, front }) => {
      for (const line of document.querySelectorAll(`${front} .view-line`)) {
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const start = node.data.replaceAll("\u00a0", " ").indexOf(wanted);
          if (start >= 0) {
            const range = document.createRange();
            range.setStart(node, start);
            range.setEnd(node, start + wanted.length);
            const { x, y, width, height } = range.getBoundingClientRect();
            return { x: x + width / 2, y: y + height / 2 };
          }
        }
      }
      return null;
    }, { wanted: text, front: FRONT });
    return found.jsonValue();
  }

  /** Wait until so many places of the file in front are underlined. */
  async seesUnderlined(number) {
    await this.page.waitForFunction(
      ({ wanted, front }) => document.querySelectorAll(`${front} .squiggly-warning`).length === wanted,
      { wanted: number, front: FRONT },
      { timeout: PATIENCE },
    );
  }

  /** Wait until the file in front holds a text. */
  async seesInFile(text) {
    await this.sees(text, `${FRONT} .view-lines`);
  }

  /** Press a key, and type a text then. */
  async types(key, text) {
    await this.presses(key);
    await this.page.keyboard.type(text);
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
    await this.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    await this.page.keyboard.type(command);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: command }).first().click();
  }

  async leaves() {
    await this.browser.close();
  }
}
