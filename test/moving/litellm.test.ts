// Moving in from LiteLLM: its configuration and its tables in a real PostgreSQL, and then its clients' calls as before.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { openStore } from "../../src/app/start/open-store.ts";
import { runImport } from "../../src/cli/state/import.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { startSimulator } from "../simulator/server.ts";
import { useDatabases } from "../store/postgres/databases.ts";
import { runSql } from "../suites/postgres-suites.ts";
import { until } from "../whole/world/until.ts";
import { addKey, digestForeign, fillDatabase, PLAIN, SECRETS } from "./litellm-rows.ts";
import { ask, askAll, MASTER_KEY, NODES_MS, startNode } from "./nodes.ts";

setDefaultTimeout(NODES_MS);

const directory = mkdtempSync(join(tmpdir(), "poundkey-import-"));
const server = await useDatabases();
const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
const stops: (() => Promise<unknown>)[] = [];
const theirs = await server.newDatabase();
const store = await server.newStore();
const config = join(directory, "poundkey.yaml");
const source = join(directory, "litellm.yaml");

beforeAll(async () => {
  await fillDatabase(theirs);
  const params = `{ model: openai/gpt-5.4, api_base: ${simulator.url}/openai/v1, api_key: os.environ/UPSTREAM_KEY }`;
  writeFileSync(
    source,
    `model_list:
  - model_name: chat
    litellm_params: ${params}
  - model_name: openai/*
    litellm_params: { model: openai/*, api_key: os.environ/OPENAI_API_KEY }
litellm_settings: { drop_params: true, cache: true }
`,
  );
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await simulator.stop();
  await server.remove();
  rmSync(directory, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  runPrinting((io) =>
    runImport(["litellm", source, ...args, "--config", config, "--store", store], io, MASTER_KEY),
  );

const env = { UPSTREAM_KEY: "sim-key", OPENAI_API_KEY: "sim-key" };

async function start(): Promise<string> {
  const { url, stop } = await startNode({ store, config, env });
  stops.push(stop);
  return url;
}

interface Row {
  readonly item: string;
  readonly outcome: string;
  readonly line: number | null;
  readonly words: string;
}

let rows: readonly Row[] = [];
const find = (item: string) => rows.find((row) => row.item === item);

test("a dry run says everything and writes nothing", async () => {
  const { code, out } = await run("--database", theirs, "--dry-run", "--json");
  expect(code).toBe(3);
  rows = JSON.parse(out).rows;
  expect(find("key app 7")).toEqual({
    item: "key app 7",
    outcome: "taken",
    line: null,
    words: expect.stringMatching(/^would be added as key_\w+ in Search$/),
  });
  expect(() => readFileSync(config)).toThrow();
});

test("the import reports what it takes and what it leaves, with line and reason", async () => {
  const { code, out, err } = await run("--database", theirs, "--json");
  expect([code, err.split("\n")[0]]).toEqual([3, expect.stringContaining("using the store at")]);
  const result = JSON.parse(out);
  rows = result.rows;
  expect(find("model chat")).toMatchObject({ outcome: "taken", line: 2 });
  expect(find("litellm_settings.cache")).toMatchObject({ outcome: "not_taken", line: 6 });
  const left = rows
    .filter(({ outcome, line }) => outcome !== "taken" && line === null)
    .map(({ item }) => item);
  expect(left.toSorted()).toEqual([
    "account Renaming",
    "customers with limits (1)",
    "key everybody knows it",
    "key expired",
    "key for customers",
    "key narrow: model unknown",
    "key per model: model_max_budget of other",
    "key shared: aliases",
    "key tag seen",
    "key tagged: metadata",
    "model stored of the database",
    "records of the database (2 tables)",
    "tags with limits (1)",
    "user u-1: limits",
    "users (1)",
  ]);
  expect(result.variables.map(({ name }: { name: string }) => name)).toEqual([
    "UPSTREAM_KEY",
    "OPENAI_API_KEY",
  ]);
  expect(result.written).toBe(config);
  expect(out).not.toContain(SECRETS.limited);
});

test("accounts and keys have the limits, budgets and spending that they had", async () => {
  const { store: opened } = await openStore(store, MASTER_KEY, "find");
  try {
    const keys = await opened.keys({ limit: 1000, after: null });
    const [account] = await opened.accountsNamed("Search");
    const key = (name: string) => keys.find((one) => one.name === name);
    expect(keys).toHaveLength(PLAIN.length + 10);
    expect(account).toMatchObject({ tokensPerMinute: 900_000_000, requestsPerDay: null });
    expect(account?.budgets).toMatchObject([{ nanoUsd: 100e9, per: "month" }]);
    expect(key("limited")).toMatchObject({
      requestsPerMinute: 2,
      tokensPerMinute: 90_000,
      parallel: 7,
      requestsPerDay: null,
      budgets: [],
      accountId: account?.id,
      last4: "nute",
      allowedModels: null,
    });
    expect(key("blocked")).toMatchObject({ isPaused: true, pausedBy: ["admin"], accountId: "default" });
    expect(key("narrow")).toMatchObject({ expiresAtMs: Date.UTC(2099, 0, 2, 3, 4, 5) });
    expect(key("narrow")?.allowedModels).toEqual([expect.stringMatching(/#gpt-5\.4$/), "OpenAI#gpt-5.4"]);
    expect(key("shared")?.budgets).toMatchObject([{ nanoUsd: 20e9, per: "week", warn: [0.75] }]);
    expect(key("shared")?.requestsPerMinute).toBe(60);
    expect(key("per model")?.budgets).toMatchObject([
      { nanoUsd: 2e9, per: "day", models: ["OpenAI-chat#gpt-5.4"] },
    ]);
    const owners = [key("per model")?.id ?? "", account?.id ?? ""];
    const reads = { accountId: account?.id ?? "", keyId: null, days: [], owners, openings: [] };
    const state = await opened.read({ ...reads, requestId: null, replyId: null, movementId: null });
    const spent = owners.map((owner) =>
      state.page(account?.id ?? "", owner).state.row?.budgets?.map((use) => use.spentNanoUsd),
    );
    expect(spent).toEqual([[0.5e9], [12.5e9]]);
  } finally {
    await opened.close();
  }
});

test("limits of customers, tags and groups of models bind the keys that they came with", async () => {
  expect(find("key for customers")?.words).toEndWith(
    "customers with limits of their own came with it: alice",
  );
  expect(find("key tag seen")?.words).toEndWith("tags with limits of their own came with it: paid");
  expect(find("account Renaming")?.words).toContain("model_aliases: chat stands for openai/gpt-5.4 there");
  const { store: opened } = await openStore(store, MASTER_KEY, "find");
  try {
    const keys = await opened.keys({ limit: 1000, after: null });
    const key = (name: string) => keys.find((one) => one.name === name);
    expect([key("for customers")?.isPaused, key("tag seen")?.isPaused]).toEqual([true, true]);
    const tagged = { isPaused: false, requestsPerMinute: 60, budgets: [{ nanoUsd: 20e9, per: "week" }] };
    expect(key("tagged")).toMatchObject(tagged);
    expect(key("narrow")).toMatchObject(tagged);
  } finally {
    await opened.close();
  }
});

test("a dry run beside a store works on a copy, and leaves none", async () => {
  await runSql(theirs, addKey("sk-of-a-late-key", { key_alias: "'late'" }));
  const { out } = await run("--database", theirs, "--dry-run", "--json");
  rows = JSON.parse(out).rows;
  expect(find("key late")?.words).toMatch(/^would be added as key_\w+ in Search$/);
  expect(find("key app 7")?.words).toMatch(/^already here as key_\w+, left as it is$/);
  const { store: opened } = await openStore(store, MASTER_KEY, "find");
  try {
    const keys = await opened.keys({ limit: 1000, after: null });
    expect(keys.some(({ name }) => name === "late")).toBe(false);
  } finally {
    await opened.close();
  }
  const database = new SQL(store);
  expect(await database`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'poundkey%'`).toHaveLength(0);
  await database.close();
  const digest = digestForeign("sk-of-a-late-key");
  await runSql(theirs, `DELETE FROM "LiteLLM_VerificationToken" WHERE token = '${digest}'`);
});

test("clients call as before, twice, on two nodes at once, and the limits are as they were", async () => {
  const one = await start();
  const two = await start();
  expect(await askAll([one, two], PLAIN)).toEqual(new Set(["ok"]));
  expect(await askAll([one, two], PLAIN)).toEqual(new Set(["ok"]));
  const both = await Promise.all([one, two].map((node) => ask(node, SECRETS.current)));
  expect([...both, await ask(one, SECRETS.replaced)]).toEqual(["ok", "ok", "ok"]);
  const limited = [
    await ask(one, SECRETS.limited),
    await ask(two, SECRETS.limited),
    await ask(one, SECRETS.limited),
  ];
  expect(limited).toEqual(["ok", "ok", "requests_per_minute_exceeded"]);
  expect(await ask(two, SECRETS.spent)).toBe("budget_exceeded");
  expect(await ask(two, SECRETS.blocked)).toBe("key_paused");
  expect(await ask(one, SECRETS.expired)).toBe("invalid_api_key");
  expect(await ask(one, SECRETS.known)).toBe("invalid_api_key");
  expect(await ask(one, SECRETS.narrow, "Router#best")).not.toBe("invalid_api_key");
  expect(await ask(one, "sk-of-nobody")).toBe("invalid_api_key");
});

test("a second import changes nothing, and prints the configuration instead of writing it", async () => {
  const before = readFileSync(config, "utf8");
  writeFileSync(config, `store: "${store}"\n`);
  const { code, out } = await run("--database", theirs);
  expect(code).toBe(3);
  expect(out).toContain(`${config} exists. Add to it:\n\n${before}`);
  expect(out.match(/already here as key_\w+, left as it is/g)).toHaveLength(PLAIN.length + 8);
  // Nobody has decided on them yet.
  expect(out.match(/paused +- +already here as key_\w+, paused: /g)).toHaveLength(2);
  expect(out).toMatch(/^key expired +not_taken +- +it has expired$/m);
});

test("following takes what is spent, blocked and deleted there until it is told to stop, and resumes nobody", async () => {
  const [first = "", second = "", third = ""] = PLAIN;
  const token = (secret: string) => `token = '${digestForeign(secret)}'`;
  const table = '"LiteLLM_VerificationToken"';
  await runSql(theirs, `UPDATE ${table} SET blocked = true WHERE ${token(third)}`);
  const listeners = process.listenerCount("SIGINT");
  const following = run("--database", theirs, "--json", "--follow");
  await until("it follows", () => process.listenerCount("SIGINT") > listeners);
  await runSql(
    theirs,
    `UPDATE ${table} SET blocked = true WHERE ${token(first)};
     DELETE FROM ${table} WHERE ${token(second)};
     UPDATE ${table} SET blocked = false WHERE ${token(third)};
     UPDATE "LiteLLM_TeamTable" SET spend = 90 WHERE team_id = 'team-1'`,
  );
  process.emit("SIGINT");
  const { code, out } = await following;
  const lines = out.split("\n").filter((line) => line.startsWith('{"at"'));
  const changes = new Map(lines.map((line) => JSON.parse(line)).map(({ item, words }) => [item, words]));
  expect(code).toBe(3);
  expect([...changes.keys()].toSorted()).toEqual(["account Search", "key app 0", "key app 1"]);
  expect(changes.get("account Search")).toContain("77.5 USD more were spent there");
  expect(changes.get("key app 0")).toContain("paused, as it is blocked there");
  expect(changes.get("key app 1")).toContain("it is gone there, so it is ended here");
  const { store: opened } = await openStore(store, MASTER_KEY, "find");
  try {
    const keys = await opened.keys({ limit: 1000, after: null });
    const states = ["app 0", "app 1", "app 2"].map((name) => {
      const key = keys.find((one) => one.name === name);
      return [key?.isPaused, key?.revokedAtMs !== null];
    });
    expect(states).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  } finally {
    await opened.close();
  }
});
