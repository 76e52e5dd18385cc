// `poundkey route` run beside a gateway on its store and configuration, as an operator's process would.

import { join } from "node:path";
import type { AdminWorld } from "../../../src/admin/world.ts";
import { runRoute } from "../../../src/cli/models/route.ts";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Settings } from "../../../src/core/settings.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import type { UnderTest } from "../../harness/harness.ts";
import { type Ran, runPrinting } from "../../harness/poundkey.ts";
import { standingClock } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { startRouterFixture } from "../fixture.ts";

export const PROMPT = "Which river flows through Prague?";

export class Command {
  readonly gateway: UnderTest;
  /** The gateway's store, opened a second time as another process would. */
  readonly store: AdminWorld["store"];
  readonly #settings: Settings;

  private constructor(gateway: UnderTest, store: AdminWorld["store"], settings: Settings) {
    this.gateway = gateway;
    this.store = store;
    this.#settings = settings;
  }

  static async start(): Promise<Command> {
    const gateway = await startRouterFixture();
    const settings = readSettings(await Bun.file(gateway.configFile).text());
    return new Command(gateway, (await open(gateway)).store, settings);
  }

  async stop(): Promise<void> {
    await this.store.close();
    await this.gateway.stop();
  }

  async run(...args: readonly string[]): Promise<Ran> {
    return runPrinting((io) => runRoute(args, io, () => open(this.gateway), this.#settings));
  }

  /** Returns the JSON that it prints. */
  async shown(...args: readonly string[]): Promise<JsonObject> {
    const { code, out, err } = await this.run(...args, "--json");
    if (code !== 0 || err !== "") throw new Error(`${code}: ${err}`);
    return asObject(JSON.parse(out));
  }

  async fileOf(content: unknown): Promise<string> {
    const path = join(this.gateway.directory, "given.json");
    await Bun.write(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }
}

const random = { bytes: (count: number) => new Uint8Array(count) };

async function open({ directory }: UnderTest): Promise<AdminWorld> {
  const store = await openSqliteStore({ path: join(directory, "poundkey.db"), decide });
  return { store, clock: standingClock(Date.now()), random, pepper: new Uint8Array(32) };
}

/** The methods of a command that starts when the tests do. */
export function bindCommand(command: () => Command) {
  return {
    run: (...args: readonly string[]) => command().run(...args),
    shown: (...args: readonly string[]) => command().shown(...args),
    fileOf: (content: unknown) => command().fileOf(content),
  };
}
