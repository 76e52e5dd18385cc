// Where conversations go on two nodes of two workers each: all processes agree, whatever is refused, added, replaced or killed
// in between. In the long form alone: the order itself is tested without processes.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { IS_LONG } from "../../harness/long.ts";
import { newPlace, type Place, type Serving, startServe } from "../../harness/serve-process.ts";
import { type Databases, useDatabases } from "../../store/postgres/databases.ts";
import { readText, serveHttp, type TestServer } from "../../whole/world/serve.ts";
import { until } from "../../whole/world/until.ts";
import { postApart } from "./own-connection.ts";

const ADMIN_TOKEN = "admin-token-of-the-tests";
const CONVERSATIONS = 1000;
const TURNS = 6;
const AT_ONCE = 64;
const CROWD = 500;
/** The calls under way that count as no crowd. */
const FEW = 16;
const TEST_MS = 60_000;
/** Shares are compared in points of a hundred. */
const POINTS = 5;
/** The seconds for which a provider asks a credential to rest. */
const REST_SECONDS = "5";

interface Seat {
  readonly key: string;
  readonly model: string;
}

/** The secrets that the provider refuses now, and the one whose calls fail at times. */
const refused = new Set<string>();
let failing: string | null = null;
let calls = 0;
/** The calls that wait until all of a crowd have come. Null if none does. */
let crowd: { readonly key: string; readonly answer: () => void }[] | null = null;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model } = asObject(parseJson(await readText(request)));
  const key = (request.headers.authorization ?? "").replace("Bearer ", "");
  calls++;
  const write = (status: number, body: object, headers: Record<string, string> = {}) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  if (refused.has(key)) {
    write(429, { error: { message: "Too many." } }, { "retry-after": REST_SECONDS });
    return;
  }
  if (key === failing && calls % 3 === 0) {
    write(500, { error: { message: "It failed." } });
    return;
  }
  const message = { role: "assistant", content: `${key} ${String(model)}` };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const succeed = () => write(200, { id: "1", object: "chat.completion", created: 1, model, choices, usage });
  if (crowd === null) return void succeed();
  crowd.push({ key, answer: succeed });
  if (crowd.length === CROWD) for (const { answer } of crowd) answer();
}

let database: Databases;
let provider: TestServer;
let place: Place;
let nodes: readonly { readonly serving: Serving; readonly url: string }[] = [];
let secret = "";

/** One provider's keys with their weights, and an alias of two models. */
function compose(keys: readonly (readonly [string, number])[]): string {
  const listed = keys.map(([key, weight]) => `{ key: ${key}, weight: ${weight} }`);
  return `server: { admin_token: "${ADMIN_TOKEN}" }
store: "${database.url}"
providers:
  Own: { dialect: openai, keys: [${listed.join(", ")}], base_url: "${provider.url}", unlisted_models: true }
aliases: { team: [{ model: "Own#one" }, { model: "Own#two" }] }`;
}

const KEYS = [
  ["key-a", 1],
  ["key-b", 1],
  ["key-c", 2],
] as const;

async function startNodes(): Promise<void> {
  const started = [0, 1].map(() => startServe(place, "--workers", "2", "--port", "0"));
  nodes = await Promise.all(
    started.map(async (serving) => {
      const url = await serving.listens();
      await serving.logged("worker_listens", 2);
      return { serving, url };
    }),
  );
}

async function reconfigure(yaml: string): Promise<void> {
  const before = nodes.map(({ serving }) => serving.events("config_reloaded").length);
  place.configure(yaml);
  await Promise.all(nodes.map(({ serving }, at) => serving.logged("config_reloaded", (before[at] ?? 0) + 2)));
}

beforeAll(async () => {
  if (!IS_LONG) return;
  database = await useDatabases();
  provider = await serveHttp(answer);
  const env = { PATH: process.env.PATH ?? "", POUNDKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
  place = { ...newPlace(compose(KEYS)), env };
  await startNodes();
  const made = await fetch(`${nodes[0]?.url}/admin/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "test", requests_per_day: null }),
  });
  secret = String(asObject(await made.json()).secret);
}, TEST_MS);

afterAll(async () => {
  if (!IS_LONG) return;
  for (const { serving } of nodes) serving.end();
  place.remove();
  await provider.stop();
  await database.remove();
}, TEST_MS);

/** Sends a turn of a conversation to one of the processes. Each connection is new, so that any of a node's workers takes it. */
async function send(name: string, turn: number, model = "team"): Promise<Seat> {
  const { url = "" } = nodes[Math.floor(Math.random() * nodes.length)] ?? {};
  const earlier = Array.from({ length: turn }, (_, at) => [
    { role: "assistant", content: `Answer ${at}` },
    { role: "user", content: `Go on ${at}` },
  ]);
  const messages = [{ role: "user", content: `The opening of ${name}` }, ...earlier.flat()];
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages }),
    keepalive: false,
  });
  const body = asObject(await response.json());
  expect([response.status, JSON.stringify(body.error ?? null)]).toEqual([200, "null"]);
  const { content } = asObject(asObject(asArray(body.choices)[0]).message);
  const [key = "", used = ""] = String(content).split(" ");
  return { key, model: used };
}

const NAMES = Array.from({ length: CONVERSATIONS }, (_, at) => `conversation ${at}`);

/** Sends a turn of each conversation, many at once, and returns where each was served. */
async function sendAll(turn: number, names: readonly string[] = NAMES): Promise<ReadonlyMap<string, Seat>> {
  const served = new Map<string, Seat>();
  const left = [...names];
  const work = async () => {
    for (let name = left.pop(); name !== undefined; name = left.pop())
      served.set(name, await send(name, turn));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return served;
}

function listMoved(before: ReadonlyMap<string, Seat>, after: ReadonlyMap<string, Seat>): readonly string[] {
  return [...after].flatMap(([name, { key, model }]) => {
    const seat = before.get(name);
    return seat?.key === key && seat.model === model ? [] : [name];
  });
}

function shareOf(served: ReadonlyMap<string, Seat>, is: (seat: Seat) => boolean): number {
  return (100 * [...served.values()].filter(is).length) / served.size;
}

/** Sends turns until each of the conversations is back where it was. */
async function expectBack(home: ReadonlyMap<string, Seat>): Promise<void> {
  await until(
    "all conversations are back",
    async () => listMoved(home, await sendAll(TURNS)).length === 0,
    TEST_MS,
  );
}

describe.if(IS_LONG)("conversations over two nodes of two workers", () => {
  let home: ReadonlyMap<string, Seat>;

  test(
    "stay on their key and their model, by the weights",
    async () => {
      home = await sendAll(0);
      for (let turn = 1; turn < TURNS; turn++) expect(listMoved(home, await sendAll(turn))).toEqual([]);
      for (const [key, weight] of KEYS)
        expect(Math.abs(shareOf(home, (seat) => seat.key === key) - 25 * weight)).toBeLessThan(POINTS);
      expect(Math.abs(shareOf(home, ({ model }) => model === "one") - 50)).toBeLessThan(POINTS);
    },
    TEST_MS,
  );

  test(
    "of a refused key alone move, and come back",
    async () => {
      refused.add("key-a");
      const during = await sendAll(TURNS);
      refused.delete("key-a");
      const ofKey = [...home].flatMap(([name, { key }]) => (key === "key-a" ? [name] : []));
      expect(listMoved(home, during).toSorted()).toEqual(ofKey.toSorted());
      await expectBack(home);
    },
    TEST_MS,
  );

  test(
    "move to a key that is added, at most by its share",
    async () => {
      await reconfigure(compose([...KEYS, ["key-d", 1]]));
      const after = await sendAll(TURNS);
      const moved = listMoved(home, after);
      expect(moved.every((name) => after.get(name)?.key === "key-d")).toBe(true);
      expect((100 * moved.length) / CONVERSATIONS).toBeLessThan(100 / 5 + POINTS);
      expect(moved.length).toBeGreaterThan(0);
      await reconfigure(compose(KEYS));
      await expectBack(home);
    },
    TEST_MS,
  );

  test(
    "stay when a key's secret is replaced in its place",
    async () => {
      await reconfigure(compose([["key-new", 1], ...KEYS.slice(1)]));
      const after = await sendAll(TURNS);
      const renamed = new Map(
        [...home].map(([name, seat]) => [name, seat.key === "key-a" ? { ...seat, key: "key-new" } : seat]),
      );
      expect(listMoved(renamed, after)).toEqual([]);
      await reconfigure(compose(KEYS));
    },
    TEST_MS,
  );

  test(
    "that all begin at once with the same message give no key more than twice its share and 16",
    async () => {
      crowd = [];
      const body = { model: "Own#one", messages: [{ role: "user", content: "hello" }] };
      const statuses = await Promise.all(
        Array.from({ length: CROWD }, (_, at) =>
          postApart(`${nodes[at % nodes.length]?.url}/v1/chat/completions`, secret, body),
        ),
      );
      expect([...new Set(statuses)]).toEqual([200]);
      const begun = crowd;
      crowd = null;
      for (const [key, weight] of KEYS)
        expect(begun.filter((call) => call.key === key).length).toBeLessThanOrEqual(
          (2 * CROWD * weight) / 4 + FEW,
        );
    },
    TEST_MS,
  );

  test(
    "stay when all processes are killed and started again",
    async () => {
      for (const { serving } of nodes) serving.end();
      await startNodes();
      expect(listMoved(home, await sendAll(TURNS))).toEqual([]);
    },
    TEST_MS,
  );

  test(
    "that are new leave a key that fails a third of its calls, and those that go on stay",
    async () => {
      failing = "key-b";
      const fresh = (round: number) => NAMES.map((name) => `new ${round} ${name}`);
      // Each process has to see it fail itself, among the answers that it remembers.
      for (let round = 0; round < 3; round++) await sendAll(0, fresh(round));
      const later = await sendAll(0, fresh(3));
      const shareLater = shareOf(later, ({ key }) => key === "key-b");
      const during = await sendAll(TURNS);
      failing = null;
      expect(shareLater).toBeLessThan(2 * POINTS);
      const moved = listMoved(home, during);
      expect(moved.every((name) => home.get(name)?.key === "key-b")).toBe(true);
      await expectBack(home);
    },
    TEST_MS,
  );
});
