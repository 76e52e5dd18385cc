// A conversation whose values are swapped goes on to the letter on another node, by another worker, after a restart, under a new
// master key, and on a restored backup.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway } from "../../../src/app/composition.ts";
import { openStore } from "../../../src/app/start/open-store.ts";
import { runCommandLine } from "../../../src/cli/commands.ts";
import { makeMasterKeyCommand } from "../../../src/cli/start/master-key.ts";
import { runRestore } from "../../../src/cli/start/restore.ts";
import { configJsonSchema } from "../../../src/config/published-schema.ts";
import { asObject } from "../../../src/core/json/json.ts";
import { providersYaml } from "../../harness/harness.ts";
import { IS_LONG, sampleRows } from "../../harness/long.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { readSettings } from "../../harness/settings.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { ADMIN_TOKEN, startGatewayProcess } from "../../store/nodes/gateway.ts";
import { type Databases, useDatabases } from "../../store/postgres/databases.ts";
import { listRewritten, readAnswer, type SendTurn, TALKS, Talk } from "./prefix-talk.ts";

const OLD = Buffer.alloc(32, 1).toString("base64");
const NEW = Buffer.alloc(32, 2).toString("base64");
const RULE = "guard: { rules: [{ name: swap, detect: [contact, finance, ids], action: swap }] }";
/** Turns between two changes. */
const TURNS = IS_LONG ? 7 : 3;

let postgres: Databases | null = null;
let folder: string;
let simulator: Simulator;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-prefix-"));
  simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await simulator.stop();
  rmSync(folder, { recursive: true });
  await postgres?.remove();
});

interface Node {
  readonly url: string;
  stop(): Promise<void>;
}

async function startNode(store: string, masterKey?: string): Promise<Node> {
  const server = `server: { port: 0, admin_token: "${ADMIN_TOKEN}" }`;
  const settings = readSettings([server, `store: "${store}"`, providersYaml(simulator.url), RULE].join("\n"));
  const opened = await openStore(store, masterKey);
  const parts = { settings, opened, log: () => {}, configSchema: configJsonSchema };
  const running = await startGateway({ ...parts, reusePort: false, noticeMs: 0 });
  return { url: `http://127.0.0.1:${running.port}`, stop: () => running.stop() };
}

/** Each request has a connection of its own, so that any worker may get it. */
async function post(url: string, bearer: string, body: object): Promise<string> {
  const headers = {
    authorization: `Bearer ${bearer}`,
    "content-type": "application/json",
    connection: "close",
  };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return response.text();
}

async function makeKey({ url }: Node): Promise<string> {
  const made = await post(`${url}/admin/v1/keys`, ADMIN_TOKEN, { name: "test", requests_per_day: null });
  return String(asObject(JSON.parse(made)).secret);
}

/** Goes on with conversations on nodes in turns. */
async function goOn(talks: readonly Talk[], secret: string, nodes: readonly Node[]): Promise<void> {
  let at = 0;
  const send: SendTurn = async (path, body) => {
    const node = nodes[at++ % nodes.length];
    const answer = readAnswer(await post(`${node?.url}${path}`, secret, body));
    return { answer, sent: asObject(simulator.calls.last()?.body) };
  };
  for (const talk of talks) for (let turn = 0; turn < TURNS; turn++) await talk.turn(send);
}

/** One of each dialect, in the short form Anthropic's. */
const makeTalks = () => sampleRows(TALKS, 6, 2).map(([, model, form]) => new Talk(model, form));

function expectKept(talks: readonly Talk[], parts: number): void {
  for (const { sent, lost } of talks) {
    expect([sent.length, lost]).toEqual([2 * TURNS * parts, []]);
    expect(listRewritten(sent)).toEqual([]);
  }
}

/** Replaces the master key, which is `masterKey`, or beside the store if there is none. */
async function rotate(store: string, masterKey: string | undefined): Promise<void> {
  const file = join(folder, "new.key");
  writeFileSync(file, NEW, { mode: 0o600 });
  const open = () => Promise.reject(new Error("it opens the store itself"));
  const settings = { ...readSettings("{}"), store };
  const run = (variable: string | undefined, ...args: readonly string[]) =>
    runPrinting((io) => makeMasterKeyCommand(variable)(["rotate", ...args], io, open, settings));
  expect(await run(masterKey, "--new", file)).toMatchObject({ code: 0 });
  expect(await run(masterKey && NEW, "--finish")).toMatchObject({ code: 0 });
}

test.skipIf(!IS_LONG)("on two nodes of PostgreSQL, after a restart, and under a new master key", async () => {
  postgres = await useDatabases();
  const store = postgres.url;
  const nodes = [await startNode(store, OLD), await startNode(store, OLD)];
  const [first, second] = nodes;
  if (!first || !second) throw new Error("There are two.");
  const secret = await makeKey(first);
  const talks = makeTalks();
  await goOn(talks, secret, nodes);
  await first.stop();
  const again = await startNode(store, OLD);
  await goOn(talks, secret, [again, second]);
  await Promise.all([again.stop(), second.stop()]);
  await rotate(store, OLD);
  const renewed = await startNode(store, NEW);
  await goOn(talks, secret, [renewed]);
  await renewed.stop();
  expectKept(talks, 3);
});

test.skipIf(!IS_LONG)("by two workers", async () => {
  const store = `sqlite:${join(folder, "workers.db")}`;
  const gateway = startGatewayProcess({
    store,
    simulatorUrl: simulator.url,
    more: RULE,
    workers: 2,
  });
  const node = { url: await gateway.url, stop: () => gateway.stop() };
  const secret = await makeKey(node);
  const talks = makeTalks();
  await goOn(talks, secret, [node]);
  await goOn(talks, secret, [node]);
  await node.stop();
  expectKept(talks, 2);
});

test("on SQLite after a restart, under a new master key, and on a restored backup", async () => {
  const at = (...names: readonly string[]) => join(folder, ...names);
  const store = `sqlite:${at("old", "poundkey.db")}`;
  const talks = makeTalks();
  let node = await startNode(store);
  const secret = await makeKey(node);
  await goOn(talks, secret, [node]);
  await node.stop();
  await rotate(store, undefined);
  node = await startNode(store);
  await goOn(talks, secret, [node]);
  await node.stop();

  const backup = await runPrinting((io) => runCommandLine(["backup", at("copy.db"), "--store", store], io));
  expect(backup.code).toBe(0);
  copyFileSync(at("old", "master.key"), at("kept.key"));
  const open = () => Promise.reject(new Error("it opens the store itself"));
  const restored = `sqlite:${at("new", "poundkey.db")}`;
  const args = [at("copy.db"), "--master-key", at("kept.key")];
  const result = await runPrinting((io) => runRestore(args, io, open, { store: restored }, undefined));
  expect(result).toMatchObject({ code: 0 });
  node = await startNode(restored);
  await goOn(talks, secret, [node]);
  await node.stop();
  expectKept(talks, 3);
});
