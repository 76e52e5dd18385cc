// The parts that outlive the kills: one store, its keys and their money, and a simulated provider that records calls.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actAs } from "../../src/admin/audit/audit-trail.ts";
import { createKey } from "../../src/admin/keys/keys.ts";
import { createAccount } from "../../src/admin/money/accounts.ts";
import { openStore } from "../../src/app/start/open-store.ts";
import { TESTER } from "../harness/acting.ts";
import { topUp } from "../ledger/top-up.ts";
import { type Simulator, startSimulator } from "../simulator/server.ts";

/** `free` is unlimited, `counted` has a sufficient allowance, `payer` and `other` pay from their accounts. */
export const KEYS = ["free", "counted", "payer", "other"] as const;
export type KeyName = (typeof KEYS)[number];
export const PAYING: readonly KeyName[] = ["payer", "other"];

/** Models by behaviour, all with a price. */
export const MODELS = {
  quick: "sim-mini",
  slow: "sim-mini~latency=15~pace=4",
  cut: "sim-mini~cut",
  failing: "sim-mini~500",
} as const;
export type ModelKind = keyof typeof MODELS;

const ALLOWANCE = 1_000_000;
const BALANCE_NANO_USD = 50_000_000_000_000;
const PRICE = "{ input: 2, output: 8, per_request: 0.0001 }";

/** The requests paid for in a round: those beyond the allowance, or all. */
export type Charge = "beyond_allowance" | "always";

export interface KillWorld {
  readonly directory: string;
  readonly database: string;
  readonly simulator: Simulator;
  readonly secrets: Readonly<Record<KeyName, string>>;
  /** The ids of the keys. */
  readonly keyIds: Readonly<Record<KeyName, string>>;
  /** Writes the configuration for the next process. */
  configure(charge: Charge): void;
  stop(options: { readonly keep: boolean }): Promise<void>;
}

export async function newKillWorld(): Promise<KillWorld> {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-kill-"));
  const database = join(directory, "poundkey.db");
  const simulator = await startSimulator();
  const configure = (charge: Charge) =>
    writeFileSync(join(directory, "poundkey.yaml"), configuration(simulator.url, charge));
  configure("beyond_allowance");
  const keys = await makeKeys(database);
  const valuesOf = (field: "id" | "secret") => ({
    free: keys.free[field],
    counted: keys.counted[field],
    payer: keys.payer[field],
    other: keys.other[field],
  });
  return {
    directory,
    database,
    simulator,
    secrets: valuesOf("secret"),
    keyIds: valuesOf("id"),
    configure,
    async stop({ keep }) {
      await simulator.stop();
      if (!keep) rmSync(directory, { recursive: true, force: true });
    },
  };
}

function configuration(url: string, charge: Charge): string {
  const models = Object.values(MODELS).map(
    (name) => `      - { name: "${name}", context: 32000, output: 1000, price: ${PRICE} }`,
  );
  return [
    `server: { port: 0, admin_token: "admin-token-of-the-tests", drain: 2s }`,
    "store: sqlite:./poundkey.db",
    `billing: { charge: ${charge} }`,
    "providers:",
    "  Own:",
    "    dialect: openai",
    '    keys: ["sim-key"]',
    `    base_url: "${url}/openai/v1"`,
    "    models:",
    ...models,
    "",
  ].join("\n");
}

async function makeKeys(database: string) {
  const { store, world: found } = await openStore(`sqlite:${database}`, undefined);
  const world = actAs(found, TESTER);
  const pay = async (accountId: string) => {
    const order = { accountId, id: `first-${accountId}`, nanoUsd: BALANCE_NANO_USD, note: null, entry: null };
    await topUp(store, { ...order, nowMs: Date.now() });
    return accountId;
  };
  const account = async (name: string) => pay((await createAccount(world, { name })).id);
  try {
    await pay("default");
    return {
      free: await createKey(world, { name: "free", requests_per_day: null }),
      counted: await createKey(world, { name: "counted", requests_per_day: ALLOWANCE }),
      payer: await createKey(world, { name: "payer", requests_per_day: 0, account_id: await account("A") }),
      other: await createKey(world, { name: "other", requests_per_day: 0, account_id: await account("B") }),
    };
  } finally {
    await store.close();
  }
}
