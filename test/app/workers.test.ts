// Several workers on one port: announced once, counted together, stopped together, restarted, and never left behind.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { asNumber, asObject } from "../../src/core/json/json.ts";
import { LONG_MS, newPlace, type Place, type Serving, startServe } from "../harness/serve-process.ts";
import { parseExposition } from "../telemetry/metrics-world.ts";
import { readSums } from "../whole/world/money-world.ts";
import { until } from "../whole/world/until.ts";
import { type OwnUpstream, startOwnUpstream } from "../whole/world/upstream.ts";

const ADMIN_TOKEN = "admin-token-of-the-tests";
const STREAMS = 6;
/** The tests wait for processes to start and end. Nothing in them depends on how long that takes. */
const TEST_MS = 300_000;

/** One gateway with its upstream and its folder, so that tests that wait for long can do so beside each other. */
interface World extends AsyncDisposable {
  readonly upstream: OwnUpstream;
  readonly place: Place;
  serve(...args: readonly string[]): Serving;
  /** Starts two workers on a free port and waits until both serve. */
  serveTwo(...args: readonly string[]): Promise<{ serving: Serving; url: string }>;
  /** Opens streams that wait in the upstream. Returns their whole texts, or "" for a stream that was cut. */
  holdStreams(url: string): Promise<readonly Promise<string>[]>;
  /** Returns the number of rows, while the processes run or after all have ended. */
  countRows(rows: "request" | "request WHERE ended = 'lost'"): number;
  /** Returns the number of requests that are held or noted and have no row yet. */
  countHeld(): number;
  /** The configuration, with a store that isn't the first one if it is named. */
  compose(store?: string): string;
}

async function makeWorld(): Promise<World> {
  const upstream = await startOwnUpstream(1);
  const compose = (store = "sqlite:./poundkey.db") => composeConfiguration(upstream.url, store);
  const place = newPlace(compose());
  const started: Serving[] = [];
  const serve = (...args: readonly string[]) => {
    const serving = startServe(place, ...args);
    started.push(serving);
    return serving;
  };
  return {
    upstream,
    place,
    serve,
    compose,
    async serveTwo(...args) {
      const serving = serve("--workers", "2", "--port", "0", ...args);
      const url = await serving.listens();
      await serving.logged("worker_listens", 2);
      return { serving, url };
    },
    holdStreams: (url) => holdStreams(upstream, url),
    countRows: (rows) => countRows(join(place.directory, "poundkey.db"), rows),
    countHeld: () => asNumber(readSums(place.directory).holds) ?? 0,
    async [Symbol.asyncDispose]() {
      for (const serving of started) serving.end();
      place.remove();
      await upstream.stop();
    },
  };
}

function composeConfiguration(url: string, store: string): string {
  return `server: { admin_token: "${ADMIN_TOKEN}" }
store: "${store}"
providers:
  Own: { dialect: openai, keys: ["any"], base_url: "${url}", unlisted_models: true }`;
}

function pidsOf(serving: Serving): readonly number[] {
  return serving.events("worker_listens").map(({ pid }) => asNumber(pid) ?? 0);
}

/** Sends on a separate connection, so that any worker may accept it. */
function post(url: string, bearer: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body), keepalive: false });
}

async function newKey(url: string): Promise<string> {
  const made = await post(`${url}/admin/v1/keys`, ADMIN_TOKEN, { name: "test", requests_per_day: null });
  return String(asObject(await made.json()).secret);
}

async function holdStreams(upstream: OwnUpstream, url: string): Promise<readonly Promise<string>[]> {
  const secret = await newKey(url);
  const body = { model: "Own#held", stream: true, messages: [{ role: "user", content: "one two" }] };
  const texts = Array.from({ length: STREAMS }, () =>
    post(`${url}/v1/chat/completions`, secret, body)
      .then((response) => response.text())
      .catch(() => ""),
  );
  await until("all streams have begun", () => upstream.held === STREAMS, LONG_MS);
  return texts;
}

function countRows(path: string, rows: string): number {
  const database = new Database(path, { readonly: true });
  try {
    database.run("PRAGMA busy_timeout = 5000");
    return database.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${rows}`).get()?.rows ?? 0;
  } finally {
    database.close();
  }
}

function isRefused(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`, { keepalive: false }).then(
    () => false,
    () => true,
  );
}

test(
  "the address and the admin token are printed once, and all workers share the first one's port",
  async () => {
    await using world = await makeWorld();
    world.place.configure("store: sqlite:./poundkey.db\n");
    const { serving, url } = await world.serveTwo("--simulate");
    expect(url).not.toEndWith(":0");
    serving.signal("SIGTERM");
    expect(await serving.exited).toBe(0);
    expect(serving.err.match(/listens on/g)).toHaveLength(1);
    expect(serving.err.match(/Admin token/g)).toHaveLength(1);
    expect(await isRefused(url)).toBe(true);
  },
  TEST_MS,
);

test(
  "every worker answers for all of them at /metrics, including those that have ended",
  async () => {
    await using world = await makeWorld();
    const { serving, url } = await world.serveTwo("--simulate");
    const secret = await newKey(url);
    const asked = 20;
    const body = { model: "Sim#sim-mini", messages: [{ role: "user", content: "hi" }] };
    for (let at = 0; at < asked; at++) {
      const response = await post(`${url}/v1/chat/completions`, secret, body);
      expect(response.status).toBe(200);
      await response.text();
    }
    const counted = async () => {
      const text = await (await fetch(`${url}/metrics`, { keepalive: false })).text();
      const counts = [...text.matchAll(/^poundkey_requests_total\{.*\} (\d+)$/gm)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    await until("all requests are counted", async () => (await counted()) === asked, LONG_MS);
    const scrapes = () => Promise.all(Array.from({ length: 12 }, counted));
    const text = await (await fetch(`${url}/metrics`, { keepalive: false })).text();
    expect(text).toMatch(/^poundkey_build_info\{version="[^"]+"\} 1$/m);
    parseExposition(text);
    expect(new Set(await scrapes())).toEqual(new Set([asked]));
    process.kill(pidsOf(serving)[0] ?? 0, "SIGKILL");
    await serving.logged("worker_ended", 1);
    expect(new Set(await scrapes())).toEqual(new Set([asked]));
  },
  TEST_MS,
);

test.each([
  ["a Ctrl-C", ["SIGINT"]],
  ["SIGTERM, even twice,", ["SIGTERM", "SIGTERM"]],
] as const)(
  "%s to all processes at once lets streams finish",
  async (_, signals) => {
    await using world = await makeWorld();
    const { serving, url } = await world.serveTwo();
    const texts = await world.holdStreams(url);
    for (const signal of signals) {
      serving.signalGroup(signal);
      await serving.logged("stopping", 2);
    }
    world.upstream.release();
    for (const text of await Promise.all(texts)) expect(text).toEndWith("data: [DONE]\n\n");
    expect(await serving.exited).toBe(0);
  },
  TEST_MS,
);

test(
  "a second Ctrl-C ends immediately",
  async () => {
    await using world = await makeWorld();
    const { serving, url } = await world.serveTwo();
    const texts = await world.holdStreams(url);
    serving.signalGroup("SIGINT");
    await serving.logged("stopping", 2);
    serving.signalGroup("SIGINT");
    expect(await serving.exited).toBe(1);
    for (const text of await Promise.all(texts)) expect(text).not.toContain("[DONE]");
    expect(await isRefused(url)).toBe(true);
  },
  TEST_MS,
);

test(
  "a stop while a worker is about to restart works",
  async () => {
    await using world = await makeWorld();
    const { serving, url } = await world.serveTwo();
    process.kill(pidsOf(serving)[0] ?? 0, "SIGKILL");
    await serving.logged("worker_ended", 1);
    serving.signal("SIGTERM");
    expect(await serving.exited).toBe(0);
    expect(await isRefused(url)).toBe(true);
  },
  TEST_MS,
);

// These four wait for workers to be restarted, so they do it beside each other.
test.concurrent.each([
  ["has a mistake", "nonsense: true"],
  ["was emptied", ""],
])(
  "a worker that can't start is retried while another serves, and given up if none does: its file %s",
  async (_, spoilt) => {
    await using world = await makeWorld();
    const { serving, url } = await world.serveTwo();
    const [first = 0, second = 0] = pidsOf(serving);
    world.place.configure(spoilt);
    process.kill(first, "SIGKILL");
    const [, failed] = await serving.logged("worker_ended", 2);
    expect(failed).toMatchObject({ code: 4 });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    world.place.configure(world.compose());
    await serving.logged("worker_listens", 3);

    world.place.configure(spoilt);
    process.kill(pidsOf(serving)[2] ?? 0, "SIGKILL");
    process.kill(second, "SIGKILL");
    expect(await serving.exited).toBe(4);
  },
  TEST_MS,
);

test.concurrent(
  "a killed worker's holds are released while the other continues",
  async () => {
    await using world = await makeWorld();
    const { serving, url } = await world.serveTwo();
    const texts = await world.holdStreams(url);
    expect(world.countHeld()).toBe(STREAMS);
    const [killed = 0] = pidsOf(serving);
    process.kill(killed, "SIGKILL");
    await serving.logged("worker_listens", 3);
    world.upstream.release();
    const cut = (await Promise.all(texts)).filter((text) => !text.endsWith("[DONE]\n\n"));
    await until("nothing is held", () => world.countHeld() === 0, LONG_MS);
    expect(world.countRows("request WHERE ended = 'lost'")).toBe(cut.length);
    expect(world.countRows("request")).toBe(STREAMS);
  },
  TEST_MS,
);

test.concurrent(
  "a restarted worker uses the others' store, even if the configuration now names another",
  async () => {
    await using world = await makeWorld();
    const { serving, url } = await world.serveTwo("--simulate");
    const secret = await newKey(url);
    world.place.configure(world.compose("sqlite:./other.db"));
    for (const [at, pid] of pidsOf(serving).entries()) {
      process.kill(pid, "SIGKILL");
      await serving.logged("worker_listens", 3 + at);
    }
    const body = { model: "Sim#sim-mini", messages: [{ role: "user", content: "hi" }] };
    for (let at = 0; at < 8; at++) {
      expect((await post(`${url}/v1/chat/completions`, secret, body)).status).toBe(200);
    }
  },
  TEST_MS,
);

test(
  "workers whose parent was killed finish their streams, record their costs, and leave the port",
  async () => {
    await using world = await makeWorld();
    const { serving, url } = await world.serveTwo();
    const texts = await world.holdStreams(url);
    serving.signal("SIGKILL");
    await serving.exited;
    await serving.logged("stopping", 2);
    world.upstream.release();
    for (const text of await Promise.all(texts)) expect(text).toEndWith("data: [DONE]\n\n");
    await until("the port is free", () => isRefused(url), LONG_MS);
    expect([world.countHeld(), world.countRows("request")]).toEqual([0, STREAMS]);
  },
  TEST_MS,
);

test.each([
  ["beside workers", ["--workers", "2"], ["--workers", "2"]],
  ["of one process beside workers", ["--workers", "2"], []],
  ["with workers beside one process", [], ["--workers", "2"]],
] as const)(
  "a second gateway %s on the same port is refused with an explanation",
  async (_, one, other) => {
    await using world = await makeWorld();
    const first = world.serve("--port", "0", ...one);
    const url = await first.listens();
    const { port } = new URL(url);
    const second = world.serve("--port", port, ...other);
    expect(await second.exited).toBe(1);
    expect(second.err).toContain(`port ${port} is in use: choose another with --port N (0: any free one)`);
    expect(second.out).toBe("");
    expect(await isRefused(url)).toBe(false);
  },
  TEST_MS,
);

test(
  "a permanent failure is reported once and not retried",
  async () => {
    await using world = await makeWorld();
    world.place.configure(world.compose("sqlite:/dev/null/poundkey.db"));
    const serving = world.serve("--workers", "3", "--port", "0");
    expect(await serving.exited).toBe(1);
    await until("the error is read", () => serving.err.includes("poundkey: "), LONG_MS);
    expect(serving.err.match(/^poundkey: /gm)).toHaveLength(1);
  },
  TEST_MS,
);
