// The command on state files beside a fresh store, for the tests of it.
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runApply } from "../../../src/cli/state/apply.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { adminBench } from "../../admin/admin-world.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { readSettings } from "../../harness/settings.ts";

export const STATE = `
accounts:
  - name: Search
    budgets: [{ usd: 2000, per: month }]
keys:
  - { name: app, account_id: Search, requests_per_minute: 60 }
aliases:
  - { name: fast, target: OpenAI#gpt-5.4 }
tokens:
  - { name: deploy, role: operator, accounts: [Search] }
`;

/** Creates a new store before each test. */
export function commandBench() {
  const bench = adminBench();
  const path = (name: string) => join(bench().folder, name);

  /** Writes the file and applies it, `state.yaml` unless it is named. */
  function apply(text: string, ...args: string[]) {
    const [first = "", ...rest] = args;
    const [file, flags] = first.endsWith(".yaml") ? [first, rest] : ["state.yaml", args];
    writeFileSync(path(file), text);
    return runPrinting((io) => runApply([path(file), ...flags], io, bench().open, readSettings("")));
  }

  async function done(text: string, ...args: string[]): Promise<string> {
    const { code, out, err } = await apply(text, ...args);
    expect([code, err]).toEqual([0, ""]);
    return out;
  }

  async function findKeys(name: string): Promise<readonly GatewayKey[]> {
    return (await bench().world.store.keys({ limit: 100, after: null })).filter((key) => key.name === name);
  }

  async function findKey(name: string): Promise<GatewayKey> {
    const [key, another] = await findKeys(name);
    if (key === undefined || another !== undefined) throw new Error(`there isn't one key ${name}`);
    return key;
  }

  async function readRecord(): Promise<readonly string[]> {
    const { auditLog } = bench().world.store;
    while ((await auditLog.chain(100)) !== null);
    const rows = await auditLog.rows({ accountIds: null }, { limit: 100, before: null });
    return rows.map(({ action, actorKind, route }) => `${action} ${actorKind} ${route}`).toSorted();
  }

  return { bench, path, apply, done, findKeys, findKey, readRecord };
}
