// `poundkey demo`: makes a company's month, and shows it at an address of its own.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { actAs } from "../../admin/audit/audit-trail.ts";
import { createKey } from "../../admin/keys/keys.ts";
import { asArray, asObject } from "../../core/json/json.ts";
import { GATEWAY } from "../../core/people/people.ts";
import { makeAddressReader } from "../../http/serve/client-address.ts";
import { VISITED, type VisitedRole } from "../../simulator/company.ts";
import { openStore } from "../start/open-store.ts";
import { clock, offsetWorld } from "../world.ts";
import { makeDemoSettings } from "./demo-settings.ts";
import { Door } from "./door/door.ts";
import { DATABASE, type MadeMonth, makeMonth } from "./make/make-month.ts";
import { type ShownCopy, showCopy } from "./shown-store.ts";

const DAY_MS = 86_400_000;
const PRIVATE = 0o700;
/** Long enough for the slowest simulated answer. Bun closes silent connections after it. */
const IDLE_SECONDS = 120;

interface DemoOptions {
  readonly host: string;
  readonly port: number;
  /** Null on loopback, where the address itself is enough. */
  readonly publicUrl: string | null;
  readonly trustedProxies: readonly string[];
  readonly days: number;
  readonly seed: number;
  /** The moment at which the month ends. */
  readonly endMs: number;
  /** An empty folder, for the demo alone. */
  readonly folder: string;
  /** The command by which somebody starts a gateway of their own. */
  readonly start: string;
  /** Called with the number of days that are made, after each. */
  readonly onDay?: (day: number) => void;
}

export interface RunningDemo {
  readonly url: string;
  /** The secret of the visitors' key. */
  readonly secret: string;
  /** Goes back to the first state. */
  returnToStart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startDemo(options: DemoOptions): Promise<RunningDemo> {
  const made = join(options.folder, "made");
  mkdirSync(made, { mode: PRIVATE });
  const month = await makeMonth({ ...options, folder: made });
  const endOffset = offsetWorld(options.endMs - Date.now());
  const secret = await addVisitorsKey(join(made, DATABASE));
  const turns = new CopyTurns(options, made, month);
  const served = await serveDoor(options, turns, secret);
  const daily = setInterval(() => void turns.next(), DAY_MS);
  return {
    url: served.url,
    secret,
    returnToStart: () => turns.next(),
    async stop() {
      clearInterval(daily);
      await served.stop();
      await turns.stop();
      endOffset();
    },
  };
}

/** Visitors ask with a key of their own, in the first account. */
async function addVisitorsKey(database: string): Promise<string> {
  const opened = await openStore(`sqlite:${database}`, undefined);
  const world = actAs(opened.world, GATEWAY);
  const { secret } = await createKey(world, { name: "visitors", requests_per_day: null });
  await opened.store.close();
  return secret;
}

/** The copies of the made store that are shown, one after the other. */
class CopyTurns {
  count = 0;
  publicUrl = "";
  #shown: ShownCopy | null = null;
  #turning: Promise<void> | null = null;
  #known: ReadonlySet<string> = new Set();
  readonly onTurn: (() => void)[] = [];
  readonly #options: DemoOptions;
  readonly #made: string;
  readonly #month: MadeMonth;

  constructor(options: DemoOptions, made: string, month: MadeMonth) {
    this.#options = options;
    this.#made = made;
    this.#month = month;
  }

  get shown(): ShownCopy {
    if (this.#shown === null) throw new Error("The demo isn't ready.");
    return this.#shown;
  }

  isKnown(model: string): boolean {
    return this.#known.has(model.replace(/^models\//, ""));
  }

  cookieOf(person: VisitedRole): Promise<string> {
    return this.shown.cookieOf(this.#month.people.get(VISITED[person]) ?? "");
  }

  /** Shows a new copy. Requests that run end in the older one. */
  next(): Promise<void> {
    this.#turning ??= this.#turn().finally(() => {
      this.#turning = null;
    });
    return this.#turning;
  }

  async #turn(): Promise<void> {
    const before = this.#shown;
    const { folder, seed } = this.#options;
    const makeSettings = (database: string) =>
      makeDemoSettings({ database, publicUrl: this.publicUrl, lines: 0, keepsContent: false });
    this.#shown = await showCopy(
      { made: this.#made, folder, database: DATABASE, makeSettings, seed, called: this.#month.called },
      this.count,
    );
    this.count++;
    for (const tell of this.onTurn) tell();
    await before?.stop();
  }

  /** Reads the names of models that may be asked for. Others would be visitors' own words in the log. */
  async readModels(secret: string): Promise<void> {
    const headers = { authorization: `Bearer ${secret}`, host: "127.0.0.1" };
    const response = await this.shown.answer(new Request(`${this.publicUrl}/v1/models`, { headers }));
    const { data } = asObject(await response.json());
    this.#known = new Set(asArray(data).map((model) => String(asObject(model).id)));
  }

  async stop(): Promise<void> {
    await this.#turning;
    await this.#shown?.stop();
  }
}

async function serveDoor(options: DemoOptions, turns: CopyTurns, secret: string) {
  const { host, port, publicUrl, trustedProxies, start } = options;
  const hosts = publicUrl === null ? LOOPBACK_HOSTS : [new URL(publicUrl).hostname];
  const door = new Door({
    answer: (request) => turns.shown.answer(request),
    cookieOf: (person) => turns.cookieOf(person),
    isKnown: (model) => turns.isKnown(model),
    nowMs: clock.nowMs,
    readAddress: makeAddressReader(trustedProxies),
    hosts,
    secret,
    isSecure: publicUrl?.startsWith("https:") ?? false,
    start,
    turn: () => turns.count,
    returnToStart: () => void turns.next(),
  });
  turns.onTurn.push(() => door.limits.forgetRows());
  const ready: { handle: Door["handle"] | null } = { handle: null };
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: IDLE_SECONDS,
    development: false,
    fetch: (request, peers) => ready.handle?.(request, peers) ?? new Response(null, { status: 503 }),
  });
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`;
  turns.publicUrl = publicUrl ?? url;
  await turns.next();
  await turns.readModels(secret);
  ready.handle = door.handle;
  return { url, stop: () => server.stop(true) };
}

const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"];
