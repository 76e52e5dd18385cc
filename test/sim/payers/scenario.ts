// Two payers' requests and the providers' troubles for a while, by a seed.
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { ProviderSetup } from "../../../src/core/settings.ts";
import type { Selection } from "../../../src/gateway/plan/plan.ts";
import { best } from "../../../src/selectors/best.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { makeKey } from "../../harness/samples.ts";
import { even } from "../../selectors/sample-cards.ts";
import { Dice } from "../dice.ts";

/** A provider answers a request in such a way because of its text alone, with any key. */
const BAD_WAYS = {
  error: 6,
  overloaded: 2,
  forbidden: 3,
  unauthorized: 1,
  cut: 3,
  garbage: 2,
  empty: 2,
  hanging: 1,
  slow: 2,
  left: 2,
} as const;
type Way = "fine" | keyof typeof BAD_WAYS;

/** A provider does this to everybody for a while. No request can cause it. */
export const TROUBLES = { limited: 1, unreachable: 1, oneLimited: 2, badKey: 2 } as const;
/** Those of one credential, beside which the others serve. */
export const OF_ONE: ReadonlySet<string> = new Set(["oneLimited", "badKey"]);

interface Trouble {
  readonly kind: keyof typeof TROUBLES;
  readonly provider: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Ask {
  readonly name: string;
  readonly atMs: number;
  readonly node: number;
  readonly way: Way;
  readonly isStreamed: boolean;
  readonly target: keyof typeof TARGETS;
}

export interface BesideScenario {
  readonly nodes: number;
  readonly first: readonly Ask[];
  readonly second: readonly Ask[];
  readonly troubles: readonly Trouble[];
  readonly keys: { readonly first: GatewayKey; readonly second: GatewayKey };
}

const PRICE = { input: 1, output: 2 };
const ALPHA = makeModelCard("Alpha#large", { price: PRICE, skills: even(0.9) });
const BETA = makeModelCard("Beta#small", { price: PRICE, skills: even(0.6) });

/** The models that requests name: one alone, an alias with a fallback, and a selector's choice. */
export const TARGETS = {
  named: { kind: "card", card: ALPHA, fallbacks: [] },
  alias: { kind: "card", card: ALPHA, fallbacks: [BETA] },
  selector: { kind: "selector", selector: best, candidates: [ALPHA, BETA] },
} as const satisfies Record<string, Selection>;

const CREDENTIALS: Readonly<Record<string, number>> = { Alpha: 3, Beta: 2 };
const TIMEOUTS = { connectMs: 2000, firstByteMs: 3000, idleMs: 2000, totalMs: 8000 };
export const SECOND_ACCOUNT = "acct_second";
const LENGTH_MS = 40_000;
/** After a trouble, breakers may wait for their next test for about as long as it was, and a rest. */
const AFTER_MS = 3000;

export const PROVIDERS: readonly ProviderSetup[] = Object.entries(CREDENTIALS).map(([name, count]) => ({
  name,
  dialect: null,
  baseUrl: `https://${name.toLowerCase()}.example/v1`,
  credentials: Array.from({ length: count }, (_, at) => ({
    secret: `secret ${at} of ${name}`,
    weight: 1,
  })),
  headers: {},
  timeouts: TIMEOUTS,
  unlistedModels: false,
}));

export function makeBesideScenario(seed: number): BesideScenario {
  const dice = new Dice(seed);
  const nodes = dice.int(1, 2);
  const areMembers = dice.chance(0.5);
  const ownShare = dice.pick([0, 0.01, 0.05]);
  const own = { requestsPerDay: null };
  return {
    nodes,
    first: Array.from({ length: dice.int(30, 60) }, (_, at) => {
      const way = dice.chance(ownShare) ? dice.weighted(BAD_WAYS) : "fine";
      return makeAsk(dice, `first ${at}`, dice.int(0, LENGTH_MS), way, nodes);
    }),
    second: makeBursts(dice, nodes),
    troubles: dice.chance(0.5) ? [makeTrouble(dice)] : [],
    keys: {
      first: makeKey("key_first", { ...own, ...(areMembers ? { memberId: "mem_first" } : {}) }),
      second: makeKey("key_second", {
        ...own,
        ...(areMembers ? { memberId: "mem_second" } : { accountId: SECOND_ACCOUNT }),
      }),
    },
  };
}

function makeAsk(dice: Dice, name: string, atMs: number, way: Way, nodes: number): Ask {
  const target = dice.weighted({ named: 4, alias: 2, selector: 3 });
  return { name, atMs, node: dice.int(0, nodes - 1), way, isStreamed: dice.chance(0.5), target };
}

/** Each burst asks for one thing again and again, as agents do, or mixes them. */
function makeBursts(dice: Dice, nodes: number): readonly Ask[] {
  const asks: Ask[] = [];
  for (let bursts = dice.int(2, 6); bursts > 0; bursts--) {
    const fromMs = dice.int(0, LENGTH_MS);
    const everyMs = dice.pick([10, 100, 700]);
    const only = dice.chance(0.6) ? dice.weighted(BAD_WAYS) : null;
    const badShare = dice.pick([0.3, 0.45, 0.9, 1]);
    for (let at = dice.int(5, 60); at > 0; at--) {
      const way = dice.chance(badShare) ? (only ?? dice.weighted(BAD_WAYS)) : "fine";
      asks.push(makeAsk(dice, `second ${asks.length}`, fromMs + at * everyMs, way, nodes));
    }
  }
  return asks;
}

function makeTrouble(dice: Dice): Trouble {
  const fromMs = dice.int(0, LENGTH_MS / 2);
  const untilMs = fromMs + dice.int(500, 6000);
  return { kind: dice.weighted(TROUBLES), provider: dice.pick(Object.keys(CREDENTIALS)), fromMs, untilMs };
}

/** True while a trouble, or the waits of breakers that it opened, may decide what becomes of a request. */
export function isTroubled({ troubles }: BesideScenario, { atMs }: Ask): boolean {
  return troubles.some(
    ({ kind, fromMs, untilMs }) =>
      !OF_ONE.has(kind) &&
      atMs >= fromMs - TIMEOUTS.totalMs &&
      atMs < untilMs + (untilMs - fromMs) + AFTER_MS,
  );
}
