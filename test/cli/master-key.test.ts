// `poundkey master-key rotate`: under load on two nodes of each engine, and nothing that the old key protected is lost.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMasterKey } from "../../src/admin/master-key.ts";
import { startGateway } from "../../src/app/composition.ts";
import { addKeys, findDatabaseFile, type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { random } from "../../src/app/world.ts";
import { makeMasterKeyCommand } from "../../src/cli/start/master-key.ts";
import { configJsonSchema } from "../../src/config/published-schema.ts";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { decide } from "../../src/ledger/decide.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { readSettings } from "../harness/settings.ts";
import { startSimulator } from "../simulator/server.ts";
import { useDatabases } from "../store/postgres/databases.ts";
import { asking } from "../whole/world/world.ts";

/** Five gateways and a database server in turns, on a machine that may do as much beside them. */
const LONG_MS = 180_000;
const TOKEN = "admin-token-of-the-tests";
const MODEL = "Bare#sim-mini";
const OLD = Buffer.alloc(32, 1).toString("base64");
const NEW = Buffer.alloc(32, 2).toString("base64");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-master-key-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

function rotate(store: string, variable: string | undefined, ...args: readonly string[]) {
  const open = () => Promise.reject(new Error("it opens the store itself"));
  const settings = { ...readSettings("{}"), store };
  return runPrinting((io) => makeMasterKeyCommand(variable)(["rotate", ...args], io, open, settings));
}

/**
 * Rotates as an operator does, who repeats the command if the database was too slow for it. The nodes' load and the server
 * share this machine.
 */
async function rotateSurely(...given: Parameters<typeof rotate>): Promise<void> {
  const tries: unknown[] = [];
  for (let done = false; !done && tries.length < 10; ) {
    const { code, err } = await rotate(...given);
    tries.push(err);
    done = code === 0;
  }
  expect(tries.at(-1)).toBe("");
}

/** Waits longer for PostgreSQL than a gateway does, which refuses requests while its database takes seconds to answer. */
async function openPatiently(address: string, masterKey: string | undefined): Promise<OpenedStore> {
  if (findDatabaseFile(address) !== null) return openStore(address, masterKey);
  const store = await openPostgresStore({ url: address, decide, create: true, patienceMs: 30_000 });
  const { dataKeys } = await openMasterKey(store, { text: masterKey, file: null, random });
  return addKeys(store, dataKeys);
}

/** A gateway in this process, and calls of it. */
async function startNode(store: string, masterKey: string | undefined, simulator: string) {
  const settings = readSettings(`server: { port: 0, admin_token: "${TOKEN}" }
store: "${store}"
responses: { keep: 1h }
providers:
  Bare: { dialect: responses, keys: ["bad-key"], base_url: "${simulator}/openai/v1", unlisted_models: true }`);
  const opened = await openPatiently(store, masterKey);
  const parts = { settings, opened, log: () => {}, configSchema: configJsonSchema };
  const running = await startGateway({ ...parts, reusePort: false, noticeMs: 0 });
  const send = async (path: string, bearer: string, body?: object, more = {}) => {
    const response = await fetch(`http://127.0.0.1:${running.port}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json", ...more },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const { status, headers } = response;
    return { status, replayed: headers.get("x-poundkey-replayed"), body: asObject(await response.json()) };
  };
  return { send, stop: () => running.stop() };
}

type Node = Awaited<ReturnType<typeof startNode>>;

/** Lost without the data keys, as a sealed credential would be. */
interface Protected {
  readonly secret: string;
  readonly reply: JsonObject;
  readonly response: JsonObject;
  /** As it is read by its id. */
  readonly interaction: JsonObject;
  /** A conversation's summary, which its client keeps. */
  readonly summary: unknown;
}

const USER = { type: "message", role: "user", content: "hello" };

const ONCE = { "idempotency-key": "once" };

async function fill({ send }: Node): Promise<Protected> {
  const added = await send("/admin/v1/providers/Bare", TOKEN, { key: "credential-of-the-tests" });
  expect(added.status).toBe(201);
  const made = await send("/admin/v1/keys", TOKEN, { name: "test", requests_per_day: null });
  const secret = String(made.body.secret);
  const reply = await send("/v1/chat/completions", secret, asking(MODEL), ONCE);
  const response = await send("/v1/responses", secret, { model: MODEL, input: "hello", store: true });
  const begun = await send("/v1/interactions", secret, { model: MODEL, input: "say: hello" });
  const interaction = await send(`/v1/interactions/${begun.body.id}`, secret);
  expect([begun.status, interaction.status]).toEqual([200, 200]);
  const input = [USER, { type: "compaction_trigger" }];
  const compacted = await send("/v1/responses", secret, { model: MODEL, input });
  expect([reply.status, response.status, compacted.status]).toEqual([200, 200, 200]);
  const [summary] = asArray(compacted.body.output);
  return {
    secret,
    reply: reply.body,
    response: response.body,
    interaction: interaction.body,
    summary,
  };
}

async function expectAll({ send }: Node, kept: Protected): Promise<void> {
  const { secret, reply, response, interaction, summary } = kept;
  const again = await send("/v1/chat/completions", secret, asking(MODEL), ONCE);
  expect(again).toEqual({ status: 200, replayed: "true", body: reply });
  expect((await send(`/v1/responses/${response.id}`, secret)).body.output).toEqual(response.output);
  expect(await send(`/v1/interactions/${interaction.id}`, secret)).toMatchObject({
    status: 200,
    body: interaction,
  });
  const next = { model: MODEL, input: "say: on", previous_interaction_id: interaction.id };
  expect((await send("/v1/interactions", secret, next)).status).toBe(200);
  expect((await send("/v1/responses", secret, { model: MODEL, input: [summary, USER] })).status).toBe(200);
  // The provider refuses the configuration's own key, so this takes the sealed one.
  expect((await send("/v1/chat/completions", secret, asking(MODEL))).status).toBe(200);
}

function startLoad(nodes: readonly Node[], secret: string) {
  const load = { goesOn: true, statuses: new Set<number>(), served: 0 };
  const askers = [...nodes, ...nodes].map(async ({ send }) => {
    while (load.goesOn) {
      load.statuses.add((await send("/v1/chat/completions", secret, asking(MODEL))).status);
      load.served++;
    }
  });
  const serve = async (more: number) => {
    const until = load.served + more;
    while (load.served < until) await Bun.sleep(1);
  };
  const stop = () => {
    load.goesOn = false;
    return Promise.allSettled(askers);
  };
  const end = async () => {
    await stop();
    await Promise.all(askers);
    expect([...load.statuses]).toEqual([200]);
  };
  return { serve, stop, end };
}

/** The variable's value is of the whole installation: with a file it is missing. */
async function rotateUnderLoad(store: string, isFile: boolean): Promise<void> {
  const simulator = await startSimulator({ port: 0 });
  const given = (key: string) => (isFile ? undefined : key);
  const nodes: Node[] = [];
  let load: ReturnType<typeof startLoad> | null = null;
  const start = async (key: string | undefined) => {
    const node = await startNode(store, key, simulator.url);
    nodes.push(node);
    return node;
  };
  try {
    const first = await start(given(OLD));
    const kept = await fill(first);
    load = startLoad([first, await start(given(OLD))], kept.secret);
    await load.serve(4);
    writeFileSync(at("new.key"), NEW);
    await rotateSurely(store, given(OLD), "--new", at("new.key"));
    await load.serve(4);
    for (const key of [OLD, NEW]) await expectAll(await start(key), kept);
    await rotateSurely(store, given(NEW), "--finish");
    await load.serve(4);
    await load.end();
    await expectAll(first, kept);
    await expectAll(await start(given(NEW)), kept);
    const refused = await openStore(store, OLD).catch(String);
    expect(refused).toMatch(
      /^Error: The master key in POUNDKEY_MASTER_KEY was replaced on \d{4}-\d\d-\d\d and no/,
    );
    const audited = await first.send("/admin/v1/audit?limit=50", TOKEN);
    const actions = asArray(audited.body.data).map((row) => asObject(row).action);
    expect(actions.filter((action) => String(action).startsWith("store.master_key"))).toEqual([
      "store.master_key_ended",
      "store.master_key_added",
    ]);
    expect(JSON.stringify(audited.body)).not.toContain(NEW);
  } finally {
    // Requests that the stopped nodes refuse would hide what failed.
    await load?.stop();
    for (const node of nodes) await node.stop();
    await simulator.stop();
  }
}

test(
  "on SQLite, the new key takes the old one's place in its file",
  async () => {
    writeFileSync(at("master.key"), `${OLD}\n`, { mode: 0o600 });
    await rotateUnderLoad(`sqlite:${at("poundkey.db")}`, true);
    expect(readFileSync(at("master.key"), "utf8").trim()).toBe(NEW);
    expect(statSync(at("master.key")).mode & 0o777).toBe(0o600);
    const [old = "", ...others] = readdirSync(folder).filter((name) => name.startsWith("master.key."));
    expect([readFileSync(at(old), "utf8").trim(), others]).toEqual([OLD, []]);
  },
  LONG_MS,
);

test(
  "on PostgreSQL, nodes get the new key one after the other",
  async () => {
    const server = await useDatabases();
    try {
      await rotateUnderLoad(server.url, false);
    } finally {
      await server.remove();
    }
  },
  LONG_MS,
);

test("a step that was interrupted is completed by the same call, and changes nothing if it was done", async () => {
  const store = `sqlite:${at("poundkey.db")}`;
  writeFileSync(at("new.key"), NEW);
  await (await openStore(store, OLD)).store.close();
  // The environment's key leaves the file alone, as a process killed between the store's row and the file would.
  writeFileSync(at("master.key"), OLD);
  const begun = await rotate(store, OLD, "--new", at("new.key"), "--json");
  expect(readFileSync(at("master.key"), "utf8")).toBe(OLD);
  expect((await rotate(store, undefined, "--new", at("new.key"))).code).toBe(0);
  expect(readFileSync(at("master.key"), "utf8").trim()).toBe(NEW);
  const again = await rotate(store, undefined, "--new", at("new.key"), "--json");
  expect(JSON.parse(again.out).master_keys).toEqual(JSON.parse(begun.out).master_keys);
  for (const ended of [1, 0]) {
    const finished = await rotate(store, undefined, "--finish", "--json");
    expect(JSON.parse(finished.out).ended).toHaveLength(ended);
  }
});

test("somebody who lacks the new key can't end the old one, and its file is proof enough", async () => {
  const store = `sqlite:${at("poundkey.db")}`;
  await (await openStore(store, OLD)).store.close();
  const early = await rotate(store, OLD, "--finish");
  expect(early).toMatchObject({ code: 1, err: expect.stringContaining("No change of the master key") });
  const begun = await rotate(store, OLD, "--new", at("new.key"));
  expect(begun).toMatchObject({ code: 0, err: expect.stringContaining("made a new master key") });
  expect(statSync(at("new.key")).mode & 0o777).toBe(0o600);
  const blind = await rotate(store, OLD, "--finish");
  expect(blind).toMatchObject({ code: 1, err: expect.stringContaining("isn't in place") });
  await (await openStore(store, OLD)).store.close();
  expect((await rotate(store, OLD, "--finish", "--new", at("new.key"))).code).toBe(0);
  expect(await openStore(store, OLD).catch(String)).toContain("was replaced on");
  await (await openStore(store, readFileSync(at("new.key"), "utf8"))).store.close();
  const stranger = await openStore(store, Buffer.alloc(32, 9).toString("base64")).catch(String);
  expect(stranger).toContain("has a different master key than the one in POUNDKEY_MASTER_KEY");
});

test("the same key, a malformed one, or no flag at all is refused before anything changes", async () => {
  const store = `sqlite:${at("poundkey.db")}`;
  await (await openStore(store, OLD)).store.close();
  writeFileSync(at("same.key"), OLD);
  writeFileSync(at("bad.key"), "too short");
  const same = await rotate(store, OLD, "--new", at("same.key"));
  expect(same).toMatchObject({ code: 1, err: expect.stringContaining("has this master key already") });
  const bad = await rotate(store, OLD, "--new", at("bad.key"));
  expect(bad).toMatchObject({ code: 1, err: expect.stringContaining(`${at("bad.key")} must be 32 bytes`) });
  expect((await rotate(store, OLD)).code).toBe(2);
  expect((await rotate(store, OLD, "--finish", "--new", at("none.key"))).code).toBe(1);
  expect(existsSync(at("none.key"))).toBe(false);
});
