// One server at a time: looks for it, starts it, ends it, says how it is.

import * as vscode from "vscode";
import { State } from "vscode-languageclient/node";
import type { LanguageClient } from "vscode-languageclient/node";
import { clientOf, environmentOf } from "./client";
import { SECTION, surroundings } from "./environment";
import { commands, installation, isMissing, obstacle } from "./server";
import type { Command } from "./server";
import type { Status } from "./status";

/** The server and the client that speaks to it. */
export class Session {
  client: LanguageClient | undefined;
  command: Command | undefined;
  /** The interpreter of the environment that the Python extension has chosen. */
  environment: string | undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly status: Status,
    private readonly log: vscode.LogOutputChannel,
    private readonly cwd: string,
    private readonly begun: () => void,
  ) {}

  /** Start the server that counts now, in the place of the one that runs. */
  restart(): Promise<void> {
    this.turn = this.turn.then(() => this.stopped()).then(() => this.started()).catch((error) => this.failed(error));
    return this.turn;
  }

  /** End the server. */
  stop(): Promise<void> {
    this.turn = this.turn.then(() => this.stopped()).catch((error) => this.failed(error));
    return this.turn;
  }

  private async stopped(): Promise<void> {
    const client = this.client;
    this.client = this.command = undefined;
    if (client !== undefined) {
      await client.dispose();
    }
  }

  private async started(): Promise<void> {
    this.status.show("starting");
    const command = await this.found();
    if (command === undefined) {
      return;
    }
    this.log.info(`starts ${command.executable} ${[...command.before, "server"].join(" ")}`);
    const client = clientOf(command, this.cwd);
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.status.show("running", client.initializeResult?.serverInfo?.version);
      } else {
        this.status.show(newState === State.Starting ? "starting" : "stopped");
      }
    });
    [this.client, this.command] = [client, command];
    await client.start();
    this.begun();
  }

  /** Return the first command whose server can be started; without one, say so. */
  private async found(): Promise<Command | undefined> {
    const around = await surroundings();
    this.environment = around.environment;
    const possible = commands(around);
    const problems: string[] = [];
    for (const command of possible) {
      const problem = await obstacle(command, this.cwd, environmentOf(process.env));
      if (problem === undefined) {
        return command;
      }
      this.log.warn(`${command.executable}: ${problem}`);
      problems.push(problem);
    }
    if (!around.isTrusted) {
      this.status.show("restricted");
      return undefined;
    }
    this.status.show("missing", problems[0]);
    const broken = problems.find((problem) => !isMissing(problem));
    void this.told(possible[0], broken); // not waited for: the notice stays until it is read
    return undefined;
  }

  private async told(command: Command | undefined, broken: string | undefined): Promise<void> {
    const line = installation(command);
    const [copy, settings] = [vscode.l10n.t("Copy Command"), vscode.l10n.t("Settings")];
    const text =
      broken === undefined
        ? vscode.l10n.t("ms-perflint is not installed: {0}", line)
        : vscode.l10n.t("ms-perflint does not start: {0}", broken);
    const answer = await vscode.window.showWarningMessage(text, ...(broken === undefined ? [copy] : []), settings);
    if (answer === copy) {
      await vscode.env.clipboard.writeText(line);
    } else if (answer === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.interpreter`);
    }
  }

  private failed(error: unknown): void {
    this.log.error(String(error));
    this.status.show("stopped", String(error));
  }
}
