// The simulated providers' HTTP server: the simulator's only file with a socket, a clock and timers.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { asObject, parseJson } from "../core/json/json.ts";
import { findDialect } from "./dialects.ts";
import type { Step } from "./fault-injection.ts";
import { readForm } from "./media.ts";
import { listModels } from "./openai.ts";
import { type RawRequest, readModel, type Script, writeScript } from "./script.ts";
import type { CallOutcome, SimHooks } from "./types.ts";
import { isUnread } from "./unread.ts";

export interface SimOptions {
  /** 127.0.0.1 if missing. */
  readonly host?: string;
  /** The default is 0, which picks a free port. */
  readonly port?: number;
  /** The seed of all ids. 1 if missing. */
  readonly seed?: number;
  readonly hooks?: SimHooks;
}

export interface Simulator {
  /** `http://127.0.0.1:PORT`. A dialect's base URL is this and its prefix. */
  readonly url: string;
  readonly port: number;
  /** Resets the counts of `flaky`. */
  reset(): void;
  /** Closes all connections and stops listening. */
  stop(): Promise<void>;
}

const BODY_BYTES_MAX = 64 * 1024 * 1024;
/** The most key and model pairs that `flaky` counts; beyond it, the oldest pair is dropped. */
const COUNTS_MAX = 1000;

/** Reads the body. Null if it is too large or the client disconnects. */
function readBody(request: IncomingMessage): Promise<string | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= BODY_BYTES_MAX) parts.push(part);
    });
    request.on("end", () => resolve(size > BODY_BYTES_MAX ? null : Buffer.concat(parts).toString("utf8")));
    request.on("error", () => resolve(null));
    request.on("close", () => resolve(null));
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const READING_TURNS = 5;
const READING_MS = 20;

/** Runs one script on one connection. Every wait ends at once if the client disconnects. */
class ScriptRunner {
  readonly #response: ServerResponse;
  /** Resolves once the answer is complete or the connection is gone. */
  readonly gone: Promise<void>;
  #open = true;
  #headed = false;
  #complete = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gone = promise;
    response.on("close", () => {
      this.#open = false;
      resolve();
    });
  }

  /** True if the script ran to its end, false if the client disconnected first. */
  get complete(): boolean {
    return this.#complete || this.#response.writableFinished;
  }

  #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    return Promise.race([promise, this.gone]).finally(() => clearTimeout(timer));
  }

  /** Writes the data, and waits if the client reads too slowly. */
  async #flush(data: string | Uint8Array): Promise<void> {
    if (data.length === 0 || this.#response.write(data)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.once("drain", resolve);
    await Promise.race([promise, this.gone]);
  }

  /** Sends the headers at once. They would otherwise wait for the first byte of the body. */
  #sendHead(): void {
    if (this.#headed) this.#response.flushHeaders();
  }

  async run({ latencyMs, head, steps }: Script): Promise<void> {
    if (latencyMs > 0) await this.#wait(latencyMs);
    if (!this.#open) return;
    if (head) this.#response.writeHead(head.status, head.headers);
    this.#headed = head !== null;
    let pending = "";
    for (const step of steps) {
      if (step.do === "write" && typeof step.data === "string") {
        pending += step.data;
        continue;
      }
      await this.#flush(pending);
      pending = "";
      if (this.#open) await this.#perform(step);
      if (!this.#open) return;
    }
    this.#response.end(pending);
  }

  /**
   * Lets the client read the data so far, however long it takes: a reset makes it drop what it hasn't read. Then waits
   * several times, since a client whose threads hand data on needs turns of its event loop, which may be this one.
   */
  async #readByClient(): Promise<void> {
    if (!this.#headed) return;
    const { localPort = 0, remotePort = 0 } = this.#response.socket ?? {};
    while (this.#open && isUnread(localPort, remotePort)) await this.#wait(READING_MS);
    for (let turn = 0; turn < READING_TURNS; turn++) await this.#wait(READING_MS);
  }

  async #perform(step: Step): Promise<void> {
    const { socket } = this.#response;
    switch (step.do) {
      case "write":
        return this.#flush(step.data);
      case "wait":
        this.#sendHead();
        return this.#wait(step.ms);
      case "hang":
        this.#sendHead();
        return this.gone;
      case "close":
        await this.#readByClient();
        this.#complete = true;
        socket?.end();
        return this.gone;
      case "reset":
        await this.#readByClient();
        this.#complete = true;
        socket?.resetAndDestroy();
        return this.gone;
    }
  }
}

/** One simulator and its counts for `flaky`. */
class SimServer {
  readonly #seed: bigint;
  readonly #hooks: SimHooks;
  /** Keyed by a hash, since a model's name may be as long as a request's body. */
  readonly #counts = new Map<bigint, number>();

  constructor(seed: number, hooks: SimHooks) {
    this.#seed = BigInt(seed);
    this.#hooks = hooks;
  }

  reset(): void {
    this.#counts.clear();
  }

  readonly #countEarlier = (what: string): number => {
    const hash = Bun.hash.wyhash(what);
    const before = this.#counts.get(hash) ?? 0;
    this.#counts.set(hash, before + 1);
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined && this.#counts.size > COUNTS_MAX) this.#counts.delete(oldest);
    return before;
  };

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = Date.now();
    const method = request.method ?? "GET";
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://simulator");
    if (`${method} ${pathname}` === MODELS) return sendJson(response, 200, listModels());
    const runner = new ScriptRunner(response);
    const bodyText = await readBody(request);
    if (bodyText === null) return void response.destroy();
    const dialect = findDialect(pathname);
    const path = pathname.slice(dialect?.prefix.length ?? 0);
    const headers = readHeaders(request);
    const raw: RawRequest = {
      method,
      path,
      query,
      headers,
      bodyText,
      body: readForm(headers["content-type"] ?? "", bodyText) ?? parseJson(bodyText),
    };
    const script = dialect
      ? writeScript(dialect, raw, {
          nowMs: startedAt,
          seed: this.#seed,
          trapUrl: `http://${headers.host}${TRAP}`,
          countEarlier: this.#countEarlier,
          hooks: this.#hooks,
        })
      : null;
    const name = dialect?.name ?? (pathname === TRAP ? "trap" : "none");
    const model = dialect ? readModel(dialect, { ...raw, body: asObject(raw.body) }) : "";
    const finish = this.#hooks.observe?.({ ...raw, dialect: name, model, startedAt });
    void runner.gone.then(() => {
      const ended: CallOutcome = !runner.complete ? "aborted" : script?.isFaulty ? "fault" : "finished";
      finish?.(ended, Date.now());
    });
    if (script) return runner.run(script);
    const status = name === "trap" ? 200 : 404;
    sendJson(response, status, { error: { message: `Simulator: no route ${method} ${pathname}.` } });
  }
}

const TRAP = "/sim/trap";
const MODELS = "GET /openai/v1/models";

function readHeaders(request: IncomingMessage): RawRequest["headers"] {
  const entries = Object.entries(request.headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

/** Starts the simulated providers. Resolves once they listen; rejects if the port is in use. */
export async function startSimulator(options: SimOptions = {}): Promise<Simulator> {
  const { host = "127.0.0.1", port = 0, seed = 1, hooks = {} } = options;
  const simulator = new SimServer(seed, hooks);
  const http = createServer((request, response) => {
    simulator.handle(request, response).catch((thrown: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { message: `Simulator: ${String(thrown)}` } });
    });
  });
  Object.assign(http, { timeout: 0, requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
  await new Promise<void>((resolve, rejected) => {
    http.once("error", rejected);
    http.listen(port, host, resolve);
  });
  const address = http.address();
  const bound = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    reset: () => simulator.reset(),
    stop: () => stopServer(http),
  };
}

function stopServer(http: Server): Promise<void> {
  return new Promise((resolve) => {
    http.close(() => resolve());
    http.closeAllConnections();
  });
}
