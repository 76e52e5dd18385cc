// The refusals of limits and budgets, each made by a key with real limits, and how each coding agent takes them.
import type { UnderTest } from "../harness/harness.ts";

/** A key, and what makes the gateway refuse it. */
export interface Refused {
  readonly secret: string;
  /** Uses up what the key has. It is refused from then on, until `lift` is called or a minute has passed. */
  readonly block: () => Promise<void>;
  /** Ends what stands in the key's way, as soon as the refusal has been seen. */
  readonly lift: () => void;
}

export interface Refusal {
  readonly code: string;
  readonly status: 402 | 429;
  /** Words of the gateway's sentence. */
  readonly says: RegExp;
  /** True if the next tries pass, within a minute. */
  readonly isPassing: boolean;
  readonly makeKey: (under: UnderTest) => Promise<Refused>;
}

/** Enough for all of an agent's requests for one prompt. */
const REQUESTS = 6;
/** More than an agent's prompt. */
const TOKENS = 60_000;
const NOTHING = () => {};
export const MODEL = "Priced#sim-mini";
/** The simulator's controls that the rows need, each of a model with the same price. */
const CONTROLS = {
  none: "",
  costly: "~tokens=10:1000",
  long: `~tokens=${TOKENS}:10`,
  endless: "~latency=600000",
};

const NOON = 12;

/** A zone in which it is about noon: a day's budget that started over would let an agent through that waits for it. */
function findZoneAtNoon(): string {
  const hours = new Date().getUTCHours() - NOON;
  return `Etc/GMT${hours < 0 ? "" : "+"}${hours}`;
}

/** Answers cost a tenth of a cent per token. */
export function writePriced(url: string): string {
  const terms = "context: 400000, output: 1000, price: { input: 0, output: 1000 }";
  const models = Object.values(CONTROLS).map((control) => `{ name: "sim-mini${control}", ${terms} }`);
  return [
    `  Priced: { dialect: openai, base_url: "${url}/openai/v1", keys: [sim-key], models: [${models}] }`,
    `quota: { time_zone: ${findZoneAtNoon()} }`,
  ].join("\n");
}

async function spend(under: UnderTest, secret: string, control = CONTROLS.none): Promise<void> {
  const model = MODEL + control;
  const answer = await under.chat({ model, messages: [{ role: "user", content: "say: hi" }] }, { secret });
  if (!answer.ok) throw new Error(`the key was refused too early: ${await answer.text()}`);
  await answer.body?.cancel();
}

/** Keeps a request of the key under way, which holds 900 tokens of output, from `block` to `lift`. */
function occupy(under: UnderTest, secret: string): Refused {
  const ending = new AbortController();
  const content = `say: ${Bun.randomUUIDv7()}`;
  const body = { model: MODEL + CONTROLS.endless, max_tokens: 900, messages: [{ role: "user", content }] };
  const isUnderWay = () =>
    under.simulator.calls
      .all()
      .some(({ model, body }) => model.endsWith(CONTROLS.endless) && JSON.stringify(body).includes(content));
  const block = async () => {
    under.chat(body, { secret, signal: ending.signal }).catch(NOTHING);
    while (!isUnderWay()) await Bun.sleep(10);
  };
  return { secret, block, lift: () => ending.abort() };
}

/** Has the key make requests with one of the simulator's controls, one after the other. */
function use(under: UnderTest, secret: string, control = CONTROLS.none, times = 1): Refused {
  const block = async () => {
    for (let at = 0; at < times; at++) await spend(under, secret, control);
  };
  return { secret, block, lift: NOTHING };
}

/** A key of this kind without a limit on its requests of a day. */
async function makeSecret(under: UnderTest, limits: Record<string, unknown>): Promise<string> {
  return (await under.newKey({ requests_per_day: null, ...limits })).secret;
}

const makeBudget = (usd: number) => ({ budgets: [{ usd, per: "day" }] });
const USUAL = { status: 429, isPassing: true } as const;
const FINAL = { status: 429, isPassing: false } as const;

export const REFUSALS: readonly Refusal[] = [
  {
    ...USUAL,
    code: "requests_per_minute_exceeded",
    says: /may use 6 requests per minute/,
    makeKey: async (under) =>
      use(under, await makeSecret(under, { requests_per_minute: REQUESTS }), CONTROLS.none, REQUESTS),
  },
  {
    ...USUAL,
    code: "tokens_per_minute_exceeded",
    says: /may use 60,?000 tokens per minute/,
    makeKey: async (under) =>
      use(under, await makeSecret(under, { tokens_per_minute: TOKENS }), CONTROLS.long),
  },
  {
    ...USUAL,
    code: "too_many_parallel_requests",
    says: /Too many parallel requests/,
    makeKey: async (under) => occupy(under, await makeSecret(under, { parallel: 1 })),
  },
  {
    ...USUAL,
    code: "budget_reserved",
    says: /is reserved by requests in flight/,
    makeKey: async (under) => occupy(under, await makeSecret(under, makeBudget(1.5))),
  },
  {
    ...FINAL,
    code: "budget_exceeded",
    says: /Budget exceeded: the key/,
    makeKey: async (under) => use(under, await makeSecret(under, makeBudget(1)), CONTROLS.costly),
  },
  {
    // After the allowance the throttle admits one request at once.
    ...FINAL,
    code: "rate_limit_exceeded",
    says: /allowance/i,
    makeKey: async (under) => use(under, await makeSecret(under, { requests_per_day: 0 })),
  },
  {
    ...FINAL,
    code: "insufficient_balance",
    status: 402,
    says: /balance/i,
    makeKey: async (under) => use(under, await makeSecret(under, {}), CONTROLS.none, 0),
  },
];
