// Load on a provider that fails, with a healthy fallback or good credentials beside it: seeded, on virtual time.
import { toFault } from "../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import { makeModelCard } from "../harness/cards.ts";
import { makeAccount, makeKey, openMemoryStore, RULES } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { answerWell, answerWithError, CoreWorld, type SimCall } from "./core-world.ts";
import { Dice } from "./dice.ts";

export interface OutageSetup {
  readonly seed: number;
  /** The share of the failing provider's calls that fail, and how. */
  readonly share: number;
  readonly status: 429 | 500 | 503;
  readonly perSecond: number;
  readonly seconds: number;
  /** The failing provider's credentials, and how many of them it refuses with 401 instead. */
  readonly keys: number;
  readonly deadKeys: number;
  readonly hasFallback: boolean;
  /** The accounts that the requests are sent by in turn. 1 if missing. */
  readonly payers?: number;
  /** The time in which it fails. From the start, and to the end, if missing. */
  readonly fromMs?: number;
  readonly untilMs?: number;
  /** The time that each call takes. 20 ms if missing. */
  readonly callMs?: number;
}

export interface OutageFigures {
  readonly requests: number;
  /** By code. */
  readonly errors: Readonly<Record<string, number>>;
  readonly failed: number;
  /** The calls of the provider that fails. */
  readonly calls: number;
  /** The calls of both. */
  readonly allCalls: number;
  /** The longest wait of a client, in virtual milliseconds. */
  readonly longestMs: number;
}

const FAILING = makeModelCard("Alpha#gpt-4o", {});
const HEALTHY = makeModelCard("Beta#plain-small", {});
const CALL_MS = 20;

export async function runOutage(setup: OutageSetup): Promise<OutageFigures> {
  const keys = makeKeys(setup.payers ?? 1);
  const store = await openMemoryStore();
  for (const { id, accountId } of keys) {
    if (accountId !== "default") await unrecorded(store).addAccount(makeAccount(accountId));
    await unrecorded(store).addKey(makeKey(id, { accountId, requestsPerDay: null }), `digest of ${id}`);
  }
  await store.beat();
  const outage = new Outage(setup, keys);
  const world = new CoreWorld({
    seed: setup.seed,
    store,
    rules: RULES,
    providers: { Alpha: setup.keys, Beta: 1 },
    answer: (call) => outage.answer(world, call),
  });
  const figures = await outage.run(world);
  await store.close();
  return figures;
}

function makeKeys(payers: number): readonly GatewayKey[] {
  const make = (at: number) =>
    makeKey(`key_${at}`, { accountId: at === 0 ? "default" : `acct_${at}`, requestsPerDay: null });
  return Array.from({ length: payers }, (_, at) => make(at));
}

class Outage {
  readonly #setup: OutageSetup;
  readonly #keys: readonly GatewayKey[];
  readonly #dice: Dice;
  readonly #errors: Record<string, number> = {};
  #calls = 0;
  #allCalls = 0;
  #longestMs = 0;

  constructor(setup: OutageSetup, keys: readonly GatewayKey[]) {
    this.#setup = setup;
    this.#keys = keys;
    this.#dice = new Dice(setup.seed);
  }

  async run(world: CoreWorld): Promise<OutageFigures> {
    const { perSecond, seconds } = this.#setup;
    const requests = perSecond * seconds;
    const asked: Promise<void>[] = [];
    for (let at = 0; at < requests; at++)
      world.clock.after((at * 1000) / perSecond, () => void asked.push(this.#ask(world, at)));
    await world.run();
    await Promise.all(asked);
    const failed = Object.values(this.#errors).reduce((sum, count) => sum + count, 0);
    const counted = { calls: this.#calls, allCalls: this.#allCalls, longestMs: this.#longestMs };
    return { requests, errors: this.#errors, failed, ...counted };
  }

  async answer({ clock }: CoreWorld, { provider, credential }: SimCall): Promise<Response> {
    const { deadKeys, share, status, fromMs = 0, untilMs = Number.POSITIVE_INFINITY } = this.#setup;
    const { callMs = CALL_MS } = this.#setup;
    const isFailing = provider === "Alpha" && clock.monotonicMs >= fromMs && clock.monotonicMs < untilMs;
    this.#allCalls++;
    if (provider === "Alpha") this.#calls++;
    await clock.wait(callMs);
    if (isFailing && credential < deadKeys) return answerWithError(401, "Incorrect API key provided.");
    if (isFailing && this.#dice.chance(share)) return answerWithError(status, "down");
    return answerWell(false);
  }

  async #ask(world: CoreWorld, at: number): Promise<void> {
    const { clock } = world;
    const key = this.#keys[at % this.#keys.length];
    if (key === undefined) throw new Error("There is no key.");
    const beganMs = clock.monotonicMs;
    const request = { model: FAILING.id, messages: [{ role: "user" as const, content: `question ${at}` }] };
    const fallbacks = this.#setup.hasFallback ? [HEALTHY] : [];
    const selection = { kind: "card", card: FAILING, fallbacks } as const;
    try {
      await world.send({ id: `${at}`, key, selection, request }).ended;
    } catch (thrown) {
      const { code } = toFault(thrown);
      this.#errors[code] = (this.#errors[code] ?? 0) + 1;
    }
    this.#longestMs = Math.max(this.#longestMs, clock.monotonicMs - beganMs);
  }
}
