// Moving in from new-api: its database of users, tokens and channels, and then its clients' calls as before.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { runImport } from "../../src/cli/state/import.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { startSimulator } from "../simulator/server.ts";
import { useDatabases } from "../store/postgres/databases.ts";
import { ask, askAll, MASTER_KEY, NODES_MS, startNode } from "./nodes.ts";

setDefaultTimeout(NODES_MS);

const directory = mkdtempSync(join(tmpdir(), "poundkey-new-api-"));
const server = await useDatabases();
const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
const stops: (() => Promise<unknown>)[] = [];
const store = await server.newStore();
const config = join(directory, "poundkey.yaml");
const source = join(directory, "one-api.db");
/** Units of quota in one USD. */
const USD = 500_000;

/** As new-api draws them: 48 letters and digits. Clients send them with `sk-` before. */
const draw = (name: string) =>
  createHash("sha512").update(name).digest("base64url").replace(/[-_]/g, "A").slice(0, 48);
const secretOf = (name: string) => `sk-${draw(name)}`;
const PLAIN = Array.from({ length: Number(process.env.IMPORT_KEYS ?? 20) }, (_, at) => `app ${at}`);

interface Token {
  readonly user?: number;
  readonly status?: number;
  readonly expires?: number;
  readonly left?: number;
  readonly used?: number;
  readonly isUnlimited?: boolean;
  readonly models?: string;
  readonly addresses?: string;
}

const KINDS: Readonly<Record<string, Token>> = {
  counted: { left: 5 * USD, used: 2 * USD },
  spent: { left: 0, used: 3 * USD },
  disabled: { status: 2 },
  expired: { status: 3, expires: 1_700_000_001 },
  narrow: { models: "other" },
  "of an address": { addresses: "203.0.113.7" },
  "of a poor user": { user: 2 },
  "of a disabled user": { user: 3 },
};

/** new-api's own tables, as its models declare them. */
function makeDatabase(): void {
  using database = new Database(source);
  database.run(`
    CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT, quota BIGINT, used_quota BIGINT, status INTEGER, deleted_at TEXT);
    CREATE TABLE tokens (id INTEGER PRIMARY KEY, user_id INTEGER, key TEXT, status INTEGER, name TEXT, created_time BIGINT,
      expired_time BIGINT, remain_quota BIGINT, unlimited_quota NUMERIC, used_quota BIGINT, model_limits_enabled NUMERIC,
      model_limits TEXT, allow_ips TEXT, "group" TEXT, deleted_at TEXT);
    CREATE TABLE channels (id INTEGER PRIMARY KEY, type INTEGER, key TEXT, status INTEGER, name TEXT, weight INTEGER,
      base_url TEXT, other TEXT, models TEXT, "group" TEXT, model_mapping TEXT, priority BIGINT, setting TEXT);
    CREATE TABLE options (key TEXT PRIMARY KEY, value TEXT);
    INSERT INTO users VALUES (1, 'search', ${1000 * USD}, 0, 1, NULL), (2, 'poor', 0, 0, 1, NULL), (3, 'off', ${USD}, 0, 2, NULL);
    INSERT INTO channels VALUES (1, 1, 'sk-of-the-provider', 1, 'main', 1, '${simulator.url}/openai', '', 'gpt-5.4,other',
      'default', '{"other":"gpt-5.4-mini"}', 0, '');`);
  const add = database.prepare(
    "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, 1700000000, ?, ?, ?, ?, ?, ?, ?, '', NULL)",
  );
  const plain = PLAIN.map((name): readonly [string, Token] => [name, { isUnlimited: true }]);
  for (const [at, [name, token]] of [...plain, ...Object.entries(KINDS)].entries()) {
    const { user = 1, status = 1, expires = -1, left = 0, used = 0, models = "", addresses = "" } = token;
    const isUnlimited = token.isUnlimited ?? token.left === undefined;
    const limits = [left, Number(isUnlimited), used, Number(models !== ""), models, addresses];
    add.run(at + 1, user, draw(name), status, name, expires, ...limits);
  }
}

beforeAll(makeDatabase);
afterAll(async () => {
  for (const stop of stops) await stop();
  await simulator.stop();
  await server.remove();
  rmSync(directory, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  runPrinting((io) =>
    runImport(["new-api", source, ...args, "--config", config, "--store", store], io, MASTER_KEY),
  );

let env: Record<string, string> = {};

test("the import makes accounts of users and keys of tokens, and stores no secret", async () => {
  const { code, out } = await run("--json");
  expect(code).toBe(3);
  const { rows, variables } = JSON.parse(out);
  env = Object.fromEntries(variables.map(({ name }: { name: string }) => [name, "sim-key"]));
  const left = rows.filter(({ outcome }: { outcome: string }) => outcome !== "taken");
  expect(left.map(({ item }: { item: string }) => item)).toEqual(["key expired", "balance of poor"]);
  expect(out).not.toContain(draw("app 0"));
  const { store: opened } = await openStore(store, MASTER_KEY, "find");
  try {
    const keys = await opened.keys({ limit: 1000, after: null });
    expect(keys).toHaveLength(PLAIN.length + Object.keys(KINDS).length - 1);
    const counted = keys.find(({ name }) => name === "counted");
    expect(counted?.budgets).toMatchObject([{ nanoUsd: 7e9, per: "total" }]);
    const [account] = await opened.accountsNamed("search");
    expect(account).toMatchObject({ balanceNanoUsd: 1000e9 });
  } finally {
    await opened.close();
  }
});

test("clients call as before, twice, on two nodes at once, and the limits are as they were", async () => {
  const nodes = [await startNode({ store, config, env }), await startNode({ store, config, env })];
  stops.push(...nodes.map((node) => node.stop));
  const urls = nodes.map(({ url }) => url);
  const [one = "", two = ""] = urls;
  const secrets = PLAIN.map(secretOf);
  expect(await askAll(urls, secrets, "gpt-5.4")).toEqual(new Set(["ok"]));
  expect(await askAll(urls, secrets, "gpt-5.4")).toEqual(new Set(["ok"]));
  const call = (name: string, model = "gpt-5.4", node = one) => ask(node, secretOf(name), model);
  expect([await call("counted"), await call("counted", "other", two)]).toEqual(["ok", "ok"]);
  expect(await call("spent")).toBe("budget_exceeded");
  expect(await call("disabled")).toBe("key_paused");
  expect(await call("expired")).toBe("invalid_api_key");
  expect([await call("narrow", "other"), await call("narrow")]).toEqual(["ok", "model_not_allowed"]);
  expect(await call("of an address")).toBe("address_not_allowed");
  expect(await call("of a poor user", "gpt-5.4", two)).toBe("insufficient_balance");
  expect(await call("of a disabled user")).toBe("key_paused");
  expect(await ask(one, `${secretOf("app 0")}x`, "gpt-5.4")).toBe("invalid_api_key");
});

test("a second import changes nothing, and tops up nobody again", async () => {
  const { code, out } = await run();
  expect(code).toBe(3);
  expect(out.match(/already here as key_\w+, left as it is/g)).toHaveLength(
    PLAIN.length + Object.keys(KINDS).length - 1,
  );
  const { store: opened } = await openStore(store, MASTER_KEY, "find");
  const [account] = await opened.accountsNamed("search");
  await opened.close();
  // The calls were paid.
  expect(account?.balanceNanoUsd).toBeLessThan(1000e9);
  expect(account?.balanceNanoUsd).toBeGreaterThan(999e9);
});
