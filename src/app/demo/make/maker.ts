// The maker of a demo's month: a gateway under a moved clock, the people who ask it, and the simulated providers.
import { signOut } from "../../../admin/people/session.ts";
import { ensureAdminToken } from "../../../admin/people/token.ts";
import { asArray, asObject, type JsonObject, parseJson } from "../../../core/json/json.ts";
import type { Settings } from "../../../core/settings.ts";
import type { Fetch } from "../../../core/world/world.ts";
import { createInProcessSimulator } from "../../../simulator/in-process.ts";
import type { OpenedStore } from "../../start/open-store.ts";
import { type DemoGateway, startDemoGateway } from "../demo-gateway.ts";
import { answerTools, isToolCall } from "./depot-tools.ts";
import { Draws, type MovedClock } from "./moved-world.ts";
import { signInPerson } from "./sign-in.ts";

/** The provider's next answer. */
interface NextAnswer {
  /** As the simulator's control: input, output, cached. */
  readonly tokens: string | null;
  /** For the lines of a batch, the most that are asked before no further one starts. */
  readonly linesMax?: number;
}

interface MakerRequest {
  readonly method?: string;
  /** The secret of a key or token. */
  readonly secret?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface MakerAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

const HOST = "http://127.0.0.1";

export class Maker {
  readonly clock: MovedClock;
  readonly draws: Draws;
  readonly gateway: DemoGateway;
  readonly #adminToken: string;
  readonly #sim: SimulatedProviders;
  /** The ids of people by their names. */
  readonly people = new Map<string, string>();
  readonly #settings: Settings;
  readonly #sessions = new Map<string, { readonly secret: string; readonly untilMs: number }>();

  private constructor(clock: MovedClock, draws: Draws, parts: MadeParts) {
    this.clock = clock;
    this.draws = draws;
    this.gateway = parts.gateway;
    this.#adminToken = parts.adminToken;
    this.#sim = parts.sim;
    this.#settings = parts.settings;
  }

  static async start(
    clock: MovedClock,
    seed: number,
    settings: Settings,
    opened: OpenedStore,
  ): Promise<Maker> {
    const sim = new SimulatedProviders(clock, new Draws(seed, "providers"), seed);
    const gateway = await startDemoGateway({ settings, opened, fetch: sim.fetch, isLate: () => false });
    const adminToken = (await ensureAdminToken(opened.world, null)) ?? "";
    const maker = new Maker(clock, new Draws(seed, "company"), { gateway, adminToken, sim, settings });
    sim.onLastLine = () => maker.#stopLines();
    return maker;
  }

  /** The provider whose calls fail, or null. */
  set failing(provider: string | null) {
    this.#sim.failing = provider;
  }

  set next(answer: NextAnswer) {
    this.#sim.next = answer;
    this.#sim.lines = 0;
  }

  /** Asks the gateway, and reads the answer to its end. Streams come back as `{}`. */
  async ask(
    path: string,
    { method = "POST", secret, body, headers = {} }: MakerRequest,
  ): Promise<MakerAnswer> {
    const isForm = body instanceof FormData;
    const request = new Request(`${HOST}${path}`, {
      method,
      headers: {
        host: "127.0.0.1",
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
        ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const response = await this.gateway.answer(request);
    return { status: response.status, body: asObject(parseJson(await response.text())) };
  }

  /** Asks an admin route with the admin token, and expects success. */
  async admin(method: string, path: string, body?: unknown): Promise<JsonObject> {
    return expectSuccess(
      path,
      await this.ask(`/admin/v1${path}`, { method, secret: this.#adminToken, body }),
    );
  }

  /** The same as a person who is signed in. */
  async as(person: string, method: string, path: string, body?: unknown): Promise<JsonObject> {
    const known = this.#sessions.get(person);
    const isOver = known === undefined || known.untilMs <= this.clock.nowMs();
    const secret = isOver ? await this.signIn(person) : known.secret;
    const headers = { cookie: `poundkey_session=${secret}`, "sec-fetch-site": "same-origin" };
    return expectSuccess(path, await this.ask(`/admin/v1${path}`, { method, body, headers }));
  }

  /** Signs a person in by the company's provider, and returns the session's secret. */
  async signIn(person: string): Promise<string> {
    const known = this.#sessions.get(person);
    if (known !== undefined) await signOut(this.gateway.opened.world, known.secret);
    const { memberId, secret } = await signInPerson(this.gateway.opened, this.#settings, person);
    this.people.set(person, memberId);
    this.#sessions.set(person, { secret, untilMs: this.clock.nowMs() + SIGNED_IN_MS });
    return secret;
  }

  /** Everybody leaves: nobody's session is in a list. */
  async signOutAll(): Promise<void> {
    for (const { secret } of this.#sessions.values()) await signOut(this.gateway.opened.world, secret);
  }

  /** Returns the time of the last call of each provider that was called. */
  async listCalls(): Promise<ReadonlyMap<string, number>> {
    const { data } = await this.admin("GET", "/providers");
    const calls = asArray(data)
      .map(asObject)
      .flatMap(({ name, credentials }) =>
        asArray(credentials).map(
          (one) => [String(name), Date.parse(String(asObject(one).called_at))] as const,
        ),
      );
    return new Map(calls.filter(([, atMs]) => !Number.isNaN(atMs)));
  }

  #stopLines(): void {
    this.gateway.running.reload({
      ...this.#settings,
      batches: { ...this.#settings.batches, parallelMax: 0 },
    });
  }

  /** Calls a tool of the company's own server. */
  readonly callTool = async (secret: string, name: string, args: object): Promise<void> => {
    const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    await this.ask("/mcp", { secret, body, headers });
  };

  /** Lets time pass until `isOver`, at most for an hour. */
  async until(what: string, isOver: () => Promise<boolean>): Promise<void> {
    for (let seconds = 0; seconds < 3600; seconds += 2) {
      if (await isOver()) return;
      await this.clock.moveTo(this.clock.nowMs() + 2000);
    }
    throw new Error(`It never came: ${what}.`);
  }
}

interface MadeParts {
  readonly gateway: DemoGateway;
  readonly adminToken: string;
  readonly sim: SimulatedProviders;
  readonly settings: Settings;
}

/** Shorter than a session. */
const SIGNED_IN_MS = 10 * 3_600_000;

function expectSuccess(path: string, { status, body }: MakerAnswer): JsonObject {
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** The least and most milliseconds to the first token, by provider. */
const LATENCY: Readonly<Record<string, readonly [number, number]>> = {
  OpenAI: [280, 900],
  Anthropic: [350, 1300],
  Google: [220, 700],
  Mistral: [200, 600],
};
const USUAL_LATENCY = [300, 900] as const;
const TOKEN_MS = 11;

class SimulatedProviders {
  failing: string | null = null;
  next: NextAnswer = { tokens: null };
  /** The lines that were asked of the batch. */
  lines = 0;
  onLastLine = () => {};
  readonly #clock: MovedClock;
  readonly #draws: Draws;
  readonly #simulate: Fetch;

  constructor(clock: MovedClock, draws: Draws, seed: number) {
    this.#clock = clock;
    this.#draws = draws;
    this.#simulate = createInProcessSimulator({ seed, nowMs: clock.nowMs, wait: clock.pass });
  }

  readonly fetch: Fetch = async (url, init) => {
    if (isToolCall(url)) {
      this.#clock.pass(this.#draws.between(30, 180));
      return answerTools(init);
    }
    const headers = new Headers(init.headers);
    headers.set("x-sim", this.#control(url));
    return this.#simulate(url, { ...init, headers });
  };

  #control(url: string): string {
    const isFailing = this.failing !== null && url.includes(PATHS[this.failing] ?? " ");
    const [least, most] = LATENCY[this.failing ?? ""] ?? USUAL_LATENCY;
    const latency = `~latency=${this.#draws.between(least, most)}`;
    if (isFailing) return `${latency}~trouble=503`;
    const { tokens, linesMax } = this.next;
    if (++this.lines === linesMax) this.onLastLine();
    const output = Number(tokens?.split(":")[1] ?? 100);
    return `${latency}~gap=${output * TOKEN_MS}${tokens === null ? "" : `~tokens=${tokens}`}`;
  }
}

/** The part of its calls' addresses that no other provider's have. */
const PATHS: Readonly<Record<string, string>> = { Google: "/gemini/" };
