// The worst clients of a route, each with a way to make the provider work for nothing, and what they achieve.
import type { HttpWorld } from "../whole/world/world.ts";
import type { Asked, AttackedRoute } from "./routes.ts";

interface Way extends Partial<Omit<Asked, "model">> {
  /** The behaviour of the simulated model. */
  readonly manner?: string;
  readonly headers?: (number: number) => Readonly<Record<string, string>>;
  readonly leavesAfterMs?: number;
  /** The number of keys of one account that send in turn. 1 if missing. */
  readonly keys?: number;
}

export interface WorstClient {
  readonly name: string;
  readonly way: Way;
  /** The number of answers that one request asks for. */
  readonly answers: number;
}

export const ANSWERS = 16;
/** Slow enough that a leaving client is gone before the answer. */
const SLOW = "~latency=300";
const many = { n: ANSWERS };

const WAYS: readonly (readonly [name: string, way: Way, answers?: number])[] = [
  ["leaves at once", { manner: SLOW, leavesAfterMs: 0 }],
  ["leaves after 25 ms", { manner: SLOW, leavesAfterMs: 25 }],
  ["allows 0.02 s", { manner: SLOW, headers: () => ({ "x-poundkey-timeout": "0.02" }) }],
  ["asks for 16 answers", { more: many }, ANSWERS],
  ["asks for 16, leaves", { manner: SLOW, more: many, leavesAfterMs: 25 }, ANSWERS],
  ["is refused by the provider", { manner: "~trouble=400" }],
  ["is refused 16 answers", { manner: "~trouble=400", more: many }, ANSWERS],
  ["is failed by the provider", { manner: "~trouble=500" }],
  ["is failed 16 answers", { manner: "~trouble=500", more: many }, ANSWERS],
  ["sends one Idempotency-Key", { headers: () => ({ "idempotency-key": "same" }) }],
  [
    "sends a new one, leaves",
    { manner: SLOW, leavesAfterMs: 25, headers: (number) => ({ "idempotency-key": `key-${number}` }) },
  ],
  ["takes what it gets", {}],
  ["has two keys", { keys: 2 }],
  ["has two keys, leaves", { keys: 2, manner: SLOW, leavesAfterMs: 25 }],
];

/** Each way, whole and streamed. */
export const WORST_CLIENTS: readonly WorstClient[] = WAYS.flatMap(([name, way, answers = 1]) => [
  { name, way, answers },
  { name: `${name}, streamed`, way: { ...way, stream: true }, answers },
]);

const MODEL_CHARACTERS = 8;

/** Each attack has a separate model, because a breaker opened by another attack would shield the provider. */
function nameModel(secret: string, { manner = "" }: Way): string {
  return `sim-${secret.slice(-MODEL_CHARACTERS)}${manner}`;
}

interface Try {
  readonly secret: string;
  readonly model: string;
  readonly number: number;
}

async function ask(world: HttpWorld, route: AttackedRoute, way: Way, { secret, model: name, number }: Try) {
  const { stream = false, more = {}, headers, leavesAfterMs } = way;
  const model = `Local#${name}`;
  const given = route.body?.({ model, stream, more });
  const body = given === undefined || given instanceof FormData ? given : JSON.stringify(given);
  const type: Record<string, string> = typeof body === "string" ? { "content-type": "application/json" } : {};
  const gone = new AbortController();
  const leaving = leavesAfterMs === undefined ? null : setTimeout(() => gone.abort(), leavesAfterMs);
  const own = headers?.(number) ?? {};
  try {
    const response = await fetch(world.url + fillPath(route.path, model), {
      method: route.method,
      headers: { authorization: `Bearer ${secret}`, ...type, ...own },
      signal: gone.signal,
      ...(body === undefined ? {} : { body }),
    });
    await response.arrayBuffer();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    if (leaving !== null) clearTimeout(leaving);
  }
}

/** The end of an attack: after this many tries or this much time. */
export interface Extent {
  readonly tries: number;
  readonly seconds: number;
  /** The attacking key's allowance. */
  readonly allowance: number;
}

export interface Damage {
  readonly tries: number;
  /** The number of calls that the provider received. */
  readonly calls: number;
  /** The day's used places, without the throttle's slots. */
  readonly used: number;
  readonly seconds: number;
}

const LANES = 8;

/** Attacks one route in one way with new keys of one account. */
export async function attack(
  world: HttpWorld,
  route: AttackedRoute,
  { way }: WorstClient,
  { tries, seconds, allowance }: Extent,
): Promise<Damage> {
  const { keys = 1 } = way;
  const fields = {
    requests_per_day: allowance,
    ...(keys > 1 ? { account_id: await world.newAccount() } : {}),
  };
  const made = await Promise.all(Array.from({ length: keys }, () => world.newKey(fields)));
  const secrets = made.map(({ secret }) => secret);
  const model = nameModel(secrets.join(""), way);
  const startedMs = performance.now();
  const secondsSoFar = () => (performance.now() - startedMs) / 1000;
  let asked = 0;
  const lane = async () => {
    while (asked < tries && secondsSoFar() < seconds) {
      const number = asked++;
      await ask(world, route, way, { secret: secrets[number % keys] ?? "", model, number });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const took = secondsSoFar();
  const calls = await countCalls(world, model);
  const used = await Promise.all(secrets.map((secret) => usedBy(world, secret)));
  return { tries: asked, calls, used: used.reduce((sum, one) => sum + one, 0), seconds: took };
}

const LOOK_EVERY_MS = 20;
/** A finished request's call may still be on its way to the provider. */
const QUIET_LOOKS = 10;

/** Returns the number of calls to the model that the provider received, once none is pending. */
async function countCalls(world: HttpWorld, model: string): Promise<number> {
  for (let quiet = 0; ; ) {
    await Bun.sleep(LOOK_EVERY_MS);
    const calls = world.simulator.calls.all().filter((call) => call.model === model);
    quiet = calls.every(({ ended }) => ended !== null) ? quiet + 1 : 0;
    if (quiet === QUIET_LOOKS) return calls.length;
  }
}

async function usedBy(world: HttpWorld, secret: string): Promise<number> {
  const response = await fetch(`${world.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
  const { allowance } = (await response.json()) as { readonly allowance: { readonly used: number } };
  return allowance.used;
}

/** The calls that a client can cause in a day: each key's places, which the last request may exceed, and as many give-backs. */
export function callsMax(allowance: number, { way, answers }: WorstClient): number {
  return (way.keys ?? 1) * (allowance - 1 + answers + allowance);
}

function fillPath(path: string, model: string): string {
  return path
    .replace("{model}", encodeURIComponent(model))
    .replace("{provider}/{name}", model.split("#").map(encodeURIComponent).join("/"));
}
