// A gateway in this process on a store that will fail: its keys, its clients, and a gate in front of its provider.

import { join } from "node:path";
import { actAs } from "../../../src/admin/audit/audit-trail.ts";
import { createKey } from "../../../src/admin/keys/keys.ts";
import { openMasterKey } from "../../../src/admin/master-key.ts";
import { startGateway } from "../../../src/app/composition.ts";
import { addKeys, type OpenedStore } from "../../../src/app/start/open-store.ts";
import { random, upstreamFetch } from "../../../src/app/world.ts";
import { configJsonSchema } from "../../../src/config/published-schema.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { masterKeyFile } from "../../../src/store/sqlite/master-key-file.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { TESTER } from "../../harness/acting.ts";
import { readSettings } from "../../harness/settings.ts";
import { topUp } from "../../ledger/top-up.ts";
import { startSimulator } from "../../simulator/server.ts";
import { type Clients, newClients } from "./clients.ts";

const BALANCE_NANO_USD = 1_000_000_000_000;

export interface FaultWorld extends Clients {
  /** Holds calls to the provider until the returned function is called. */
  shut(): () => void;
  /** Resolves once all admitted requests are on disk. */
  synced(): Promise<void>;
  /** The number of calls waiting at the gate. */
  readonly waiting: number;
  stop(): Promise<void>;
}

export interface FaultWorldOptions {
  /** The store's folder. */
  readonly folder: string;
  /** The wait for another process's lock. The product's own if missing. */
  readonly lockWaitMs?: number;
}

export async function startFaultWorld({ folder, lockWaitMs }: FaultWorldOptions): Promise<FaultWorld> {
  const database = join(folder, "poundkey.db");
  const simulator = await startSimulator();
  const opened = await openedAt(database, lockWaitMs);
  const { store } = opened;
  const world = actAs(opened.world, TESTER);
  await topUp(store, {
    accountId: "default",
    id: "first",
    nanoUsd: BALANCE_NANO_USD,
    note: null,
    entry: null,
    nowMs: Date.now(),
  });
  const secrets = {
    free: (await createKey(world, { name: "free", requests_per_day: null })).secret,
    paid: (await createKey(world, { name: "paid", requests_per_day: 0 })).secret,
  };
  const gate = new Gate();
  const running = await startGateway({
    settings: settingsFor(simulator.url),
    opened,
    log: () => {},
    configSchema: configJsonSchema,
    reusePort: false,
    fetch: async (url, init) => {
      await gate.pass();
      return upstreamFetch(url, init);
    },
  });
  const url = `http://127.0.0.1:${running.port}`;
  return {
    ...newClients({ url, database, simulator, secrets }),
    shut: () => gate.shut(),
    synced: () => store.durable(),
    get waiting() {
      return gate.waiting;
    },
    async stop() {
      await running.stop();
      await simulator.stop();
    },
  };
}

/** Opened as the program does, except for the wait. */
async function openedAt(path: string, lockWaitMs: number | undefined): Promise<OpenedStore> {
  const store = await openSqliteStore({ path, decide, ...(lockWaitMs === undefined ? {} : { lockWaitMs }) });
  const { dataKeys } = await openMasterKey(store, { text: undefined, file: masterKeyFile(path), random });
  return addKeys(store, dataKeys);
}

function settingsFor(url: string) {
  const model = '{ name: "sim-mini", context: 32000, output: 1000, price: { input: 2, output: 8 } }';
  return readSettings(`server: { port: 0, drain: 1s }
providers:
  Own: { dialect: openai, keys: ["sim-key"], base_url: "${url}/openai/v1", models: [${model}] }`);
}

class Gate {
  #opened: Promise<void> = Promise.resolve();
  waiting = 0;

  async pass(): Promise<void> {
    this.waiting++;
    await this.#opened;
    this.waiting--;
  }

  shut(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#opened = promise;
    return resolve;
  }
}
