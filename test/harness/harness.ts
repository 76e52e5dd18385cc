// A gateway under test with simulated providers behind it, in this process or as the built binary.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway } from "../../src/app/composition.ts";
import { openStore } from "../../src/app/start/open-store.ts";
import { configJsonSchema } from "../../src/config/published-schema.ts";
import type { Fetch, LogEvent } from "../../src/core/world/world.ts";
import type { Step } from "../../src/gateway/step.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { type Simulator, startSimulator } from "../simulator/server.ts";
import { writeEmptyStore } from "../suites/empty-store.ts";
import { until } from "../whole/world/until.ts";
import type { ManualClock } from "./manual-clock.ts";
import { loadText, requireSettings } from "./settings.ts";

/** Set when the built binary is tested. */
export const BINARY = process.env.POUNDKEY_BINARY;
const ADMIN_TOKEN = "admin-token-of-the-tests";
/** For a store that keeps none beside it. */
export const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
/** Several start at once, and one that is a package is compiled at each start: seconds on a busy machine. */
const START_MS = 50_000;

export interface UnderTest {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The secret of an unlimited key. */
  readonly secret: string;
  readonly adminToken: string;
  readonly simulator: Simulator;
  /** Log events. Empty if the gateway is another process. */
  readonly events: readonly LogEvent[];
  /** The configuration file, for tests that change it. */
  readonly configFile: string;
  readonly directory: string;
  /** Creates a key by the admin route. Returns its secret and id. */
  newKey(fields?: Record<string, unknown>): Promise<{ secret: string; id: string }>;
  /** Adds an account by the admin route. Returns its id. */
  newAccount(name?: string): Promise<string>;
  /** Tops up an account by the admin route. */
  topUp(accountId: string, usd: number): Promise<void>;
  /** POST /v1/chat/completions with a key's secret, by default the unlimited one's. */
  chat(
    body: unknown,
    init?: { secret?: string; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>;
  /** Starts another gateway on the same store. `file` is its configuration, the same if missing. */
  another(file?: string): Promise<Started>;
  /** Stops only the gateway, as SIGTERM does. Its store can be read until `stop()`. */
  halt(): Promise<void>;
  stop(): Promise<void>;
}

export interface Setup {
  /** YAML to append after the providers, such as `quota: { requests_per_day: 3 }`. */
  readonly more?: string | ((simulatorUrl: string) => string);
  /** YAML of further fields of `server:`, such as `keep_alive: 1s`. */
  readonly server?: string;
  /** The gateway's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The store. SQLite in the folder of the test if missing. */
  readonly store?: string;
  /** The files that the configuration names, by their paths, in this process only. */
  readonly files?: Readonly<Record<string, string>>;
  /** Makes the upstream calls. The binary makes them through a relay. */
  readonly fetch?: Fetch;
  /** Stand before and around every answer, in this process only. */
  readonly steps?: readonly Step[];
  /** Moves the time by which calls are late and providers rest. Such a gateway is in this process, whatever there is. */
  readonly clock?: ManualClock;
}

/** Every dialect of the simulator as a provider that accepts unlisted names. */
export function providersYaml(url: string): string {
  const rows: readonly (readonly [string, string, string])[] = [
    ["OpenAI", "/openai/v1", ""],
    ["Anthropic", "/anthropic/v1", ""],
    ["Google", "/gemini/v1beta", ""],
    ["Mistral", "/mistral/v1", ""],
    ["Perplexity", "/perplexity/v1", ""],
    ["Cohere", "/cohere/v2", ""],
    ["Voyage", "/voyage/v1", ""],
    ["Jina", "/jina/v1", ""],
    ["Local", "/openai/v1", ", dialect: openai"],
    ["Responses", "/openai/v1", ", dialect: responses"],
    ["Bedrock", "/bedrock", ", region: us-east-1"],
  ];
  const lines = rows.map(
    ([name, path, more]) =>
      `  ${name}: { keys: ["sim-key"], base_url: "${url}${path}", unlisted_models: true${more} }`,
  );
  return ["providers:", ...lines].join("\n");
}

/** Starts a simulator and a gateway on free ports, with an empty store. */
export async function startUnderTest(setup: Setup = {}): Promise<UnderTest> {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-test-"));
  const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
  const configFile = join(directory, "poundkey.yaml");
  const server = `server: { port: 0, admin_token: "${ADMIN_TOKEN}"${setup.server ? `, ${setup.server}` : ""} }`;
  const store = `store: "${setup.store ?? makeDatabase(directory)}"`;
  const binary = setup.clock ? undefined : BINARY;
  const relay = binary && setup.fetch ? startRelay(simulator.url, setup.fetch) : null;
  const upstream = relay?.url.origin ?? simulator.url;
  const more = typeof setup.more === "function" ? setup.more(upstream) : (setup.more ?? "");
  writeFileSync(configFile, [server, store, providersYaml(upstream), more].join("\n"));
  const events: LogEvent[] = [];
  const another = (file = configFile) =>
    binary ? startBinary(binary, file, directory, setup) : startInside(file, setup, events);
  const started = await another();
  const operator = makeOperator(started.url, events);
  // On a busy machine the first demands to a new database may time out.
  const { secret } = await until("a key is made", () =>
    operator.newKey({ requests_per_day: null }).catch((thrown) => {
      if (setup.store && String(thrown).includes("store_unavailable")) return null;
      throw thrown;
    }),
  );
  let halting: Promise<void> | null = null;
  const halt = () => {
    halting ??= started.stop();
    return halting;
  };
  return {
    url: started.url,
    secret,
    adminToken: ADMIN_TOKEN,
    simulator,
    events,
    configFile,
    directory,
    ...operator,
    another,
    chat: (body, init = {}) =>
      post(`${started.url}/v1/chat/completions`, init.secret ?? secret, body, init.headers, init.signal),
    halt,
    async stop() {
      await halt();
      await relay?.stop(true);
      await simulator.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function makeDatabase(directory: string): string {
  const database = join(directory, "poundkey.db");
  writeEmptyStore(database);
  return `sqlite:${database}`;
}

/** Makes keys and accounts with the admin token. The error of a request that fails names the bug in the log, if it was one. */
function makeOperator(url: string, events: readonly LogEvent[]) {
  const ask = async (path: string, body: unknown, send = post) => {
    const response = await send(`${url}/admin/v1${path}`, ADMIN_TOKEN, body);
    const bug = events.findLast(({ event }) => event === "internal_error")?.cause ?? "";
    if (!response.ok) throw new Error(`${path} failed: ${await response.text()} ${bug}`);
    return response;
  };
  /** A database on a busy machine may be away for a second. A key or an account too many is in nobody's way. */
  const insist: typeof post = (...request) =>
    until("the store is there", async () => {
      const response = await post(...request);
      return response.status === 503 ? null : response;
    });
  return {
    async newKey(fields: Record<string, unknown> = {}) {
      const response = await ask("/keys", { name: "test", ...fields }, insist);
      return (await response.json()) as { secret: string; id: string };
    },
    async newAccount(name = "test") {
      const response = await ask("/accounts", { name }, insist);
      return ((await response.json()) as { id: string }).id;
    },
    async topUp(accountId: string, usd: number) {
      await ask(`/accounts/${accountId}/topups`, { amount_usd: usd });
    },
  };
}

/** Passes every request on by `pass`. */
function startRelay(target: string, pass: Fetch): ReturnType<typeof Bun.serve> {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete("host");
      const body = await request.arrayBuffer();
      const hasBody = body.byteLength > 0;
      const { method } = request;
      return pass(`${target}${pathname}${search}`, { method, headers, ...(hasBody ? { body } : {}) });
    },
  });
}

function post(
  url: string,
  secret: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}`, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

export interface Started {
  readonly url: string;
  stop(): Promise<void>;
}

async function startInside(configFile: string, setup: Setup, events: LogEvent[]): Promise<Started> {
  const settings = requireSettings(loadText(await Bun.file(configFile).text(), setup));
  const opened = await openStore(settings.store, setup.store && MASTER_KEY);
  const running = await startGateway({
    settings,
    opened,
    log: (event) => void events.push(event),
    configSchema: configJsonSchema,
    reusePort: false,
    noticeMs: 0,
    ...(setup.fetch ? { fetch: setup.fetch } : {}),
    ...(setup.steps ? { steps: setup.steps } : {}),
    ...(setup.clock ? { deadlines: new DeadlineSweep(setup.clock) } : {}),
  });
  return { url: `http://127.0.0.1:${running.port}`, stop: () => running.stop() };
}

async function startBinary(
  binary: string,
  configFile: string,
  directory: string,
  { env, store }: Setup,
): Promise<Started> {
  const child = Bun.spawn([binary, "serve", "--config", configFile], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", ...(store && { POUNDKEY_MASTER_KEY: MASTER_KEY }), ...env },
    stdout: "ignore",
    stderr: "pipe",
  });
  const startTimer = setTimeout(() => child.kill(), START_MS);
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stderr) {
    text += decoder.decode(bytes, { stream: true });
    const url = /listens on (http:\S+)/.exec(text)?.[1];
    if (!url) continue;
    clearTimeout(startTimer);
    return {
      url,
      async stop() {
        child.kill("SIGTERM");
        await child.exited;
      },
    };
  }
  throw new Error(`the binary did not start: ${text}`);
}
