// The requests of several payers on virtual time: the first one's, and bursts of a second one that fail in every way that a caller
// can choose, or of two others that fail together.
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { makeKey } from "../../harness/samples.ts";
import { Dice } from "../dice.ts";

/** Ways of the second payer to fail, each by a word in the text of a request. */
export const KINDS = [
  "500",
  "401",
  "403",
  "cut",
  "garbage",
  "empty",
  "slow",
  "left",
  "unjudged",
  "judged-late",
] as const;
export type Kind = (typeof KINDS)[number] | "once" | "forbidden" | "good";

/** The ways to name a model. For `near`, the two cheapest candidates differ by 2 %, for `apart` by half. */
export const WAYS = ["named", "fallback", "alias", "apart", "near", "tool", "turn"] as const;
/** `other` names the alias's other model. */
export type Way = (typeof WAYS)[number] | "other";

/** A fault that no request has caused, for some time. */
export interface Shared {
  readonly kind: "limit" | "wrong key" | "no connection";
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Planned {
  readonly id: string;
  readonly atMs: number;
  readonly isFirst: boolean;
  /** The place of its payer. */
  readonly payer: number;
  readonly way: Way;
  readonly kind: Kind;
  readonly isStreamed: boolean;
  readonly node: number;
}

/** A batch, by the kinds of its lines. */
export interface PlannedBatch {
  readonly id: string;
  readonly atMs: number;
  readonly isFirst: boolean;
  readonly payer: number;
  readonly kinds: readonly Kind[];
}

export interface Side {
  readonly seed: number;
  readonly nodes: number;
  /** The share of the first payer's requests that fail by themselves. */
  readonly share: number;
  readonly onFailure: "pass" | "refuse";
  /** The first, and those whose requests fail: one, or two together. */
  readonly payers: readonly [GatewayKey, ...GatewayKey[]];
  readonly shared: readonly Shared[];
  readonly plans: readonly Planned[];
  readonly batches: readonly PlannedBatch[];
}

const SPAN_MS = 30_000;
const FIRST_PER_SECOND = 2;
const BURSTS = 12;
/** The ways of the first bursts: by chance alone, some seeds would have none of them. */
const FIRST_WAYS: readonly Way[] = ["tool", "turn", "turn"];
/** Longer than any request of the first payer takes. */
const CALM_MS = 1000;
const REGULAR_MS = 5000;

/** The owners of three payers: in accounts of their own, as members or service keys of one, or mixed. */
const OWNERS: readonly (readonly [Owner, Owner, Owner])[] = [
  [{ memberId: "mem_a" }, { memberId: "mem_b" }, { memberId: "mem_c" }],
  [{}, {}, {}],
  [{}, { accountId: "acct_b" }, { accountId: "acct_c" }],
  [{ memberId: "mem_a" }, { accountId: "acct_b" }, {}],
];
type Owner = Partial<Pick<GatewayKey, "accountId" | "memberId">>;

function makePayers(seed: number, isWithThird: boolean): Side["payers"] {
  const [first, ...others] = OWNERS[seed % OWNERS.length] ?? [{}];
  const make = (name: string, owner: Owner) => makeKey(`key_${name}`, { requestsPerDay: null, ...owner });
  const made = others.map((owner, at) => make("bc"[at] ?? "", owner));
  return [make("a", first), ...made.slice(0, isWithThird ? 2 : 1)];
}

/** Makes the requests of a seed. Beside two others that fail together, the first payer's own never fail by themselves. */
export function planSide(seed: number, isWithThird = false): Side {
  const dice = new Dice(seed);
  const nodes = 1 + (seed % 2);
  const share = isWithThird ? 0 : ([0, 0.01, 0.05][seed % 3] ?? 0);
  const payers = makePayers(seed, isWithThird);
  const onFailure = dice.pick(["pass", "refuse"] as const);
  const shared = planShared(dice);
  const node = () => dice.int(0, nodes - 1);
  const first = Array.from({ length: (SPAN_MS / 1000) * FIRST_PER_SECOND }, (_, at): Planned => {
    const atMs = (at * 1000) / FIRST_PER_SECOND + dice.int(0, 400);
    // The first to meet a shared fault spends an attempt on it, which a text that fails once may need for itself.
    const isCalm = !shared.some(
      ({ fromMs, untilMs }) => atMs >= fromMs - CALM_MS && atMs < untilMs + CALM_MS,
    );
    const isBad = dice.chance(share) && isCalm;
    return {
      id: `a${at}`,
      atMs,
      isFirst: true,
      payer: 0,
      way: dice.pick(WAYS),
      kind: isBad ? dice.pick(["500", "once"] as const) : dice.chance(0.1) ? "forbidden" : "good",
      isStreamed: dice.chance(0.3),
      node: node(),
    };
  });
  const regular = isWithThird ? planRegular(nodes, shared) : [];
  const plans = [...first, ...regular, ...planOthers(dice, node, payers.length - 1)];
  return {
    seed,
    nodes,
    share,
    onFailure,
    payers,
    shared,
    plans,
    batches: planBatches(dice, payers.length - 1),
  };
}

/**
 * Both models of an alias serve the first payer regularly, on each node: the failures of two others weigh on the choice of one
 * whom a model doesn't serve.
 */
function planRegular(nodes: number, shared: readonly Shared[]): readonly Planned[] {
  const ways = ["named", "other"] as const;
  const isReached = ({ way, atMs }: Planned) =>
    way === "named" ||
    !shared.some(({ kind, fromMs, untilMs }) => kind === "no connection" && atMs >= fromMs && atMs < untilMs);
  const all = Array.from({ length: SPAN_MS / REGULAR_MS }, (_, at) =>
    ways.flatMap((way) =>
      Array.from({ length: nodes }, (_, node): Planned => {
        const id = `r${way}${node}x${at}`;
        const one = { id, atMs: at * REGULAR_MS, isFirst: true, payer: 0, way, isStreamed: false, node };
        return { ...one, kind: "good" };
      }),
    ),
  );
  return all.flat().filter(isReached);
}

/** One of lines that are answered, and two of lines that fail or hang, begun before. */
function planBatches(dice: Dice, others: number): readonly PlannedBatch[] {
  const own = {
    id: "la",
    atMs: 1500,
    isFirst: true,
    payer: 0,
    kinds: Array.from({ length: 12 }, () => "good" as const),
  };
  const failing = ["lb", "lc"].map((id, at): PlannedBatch => {
    const kinds = [dice.pick(KINDS), dice.pick(KINDS)];
    const payer = 1 + (at % others);
    return { id, atMs: 0, isFirst: false, payer, kinds: Array.from({ length: 25 }, () => dice.pick(kinds)) };
  });
  return [own, ...failing];
}

function planShared(dice: Dice): readonly Shared[] {
  const kinds = ["limit", "wrong key", "no connection"] as const;
  return kinds.flatMap((kind) => {
    if (!dice.chance(1 / 3)) return [];
    const fromMs = dice.int(0, SPAN_MS / 2);
    return [{ kind, fromMs, untilMs: fromMs + dice.int(2000, SPAN_MS / 2) }];
  });
}

/** Bursts of one kind, as agents repeat what fails, at any time: up to thirty at once, or one every 50 ms, of all in turn. */
function planOthers(dice: Dice, node: () => number, others: number): readonly Planned[] {
  const kinds = dice.chance(0.5) ? KINDS : [dice.pick(KINDS), dice.pick(KINDS)];
  return Array.from({ length: BURSTS }, (_, burst) => {
    const startMs = dice.int(others > 1 ? CALM_MS : 0, SPAN_MS);
    const kind = dice.pick(kinds);
    const way = FIRST_WAYS[burst] ?? dice.pick(WAYS);
    const gapMs = dice.pick([0, 0, 50, 300]);
    return Array.from({ length: dice.int(5, 30) }, (_, at): Planned => {
      const isGood = dice.chance(0.1);
      return {
        id: `b${burst}-${at}`,
        atMs: startMs + at * gapMs,
        isFirst: false,
        payer: 1 + (at % others),
        way,
        kind: isGood ? "good" : kind,
        isStreamed: kind === "cut" || kind === "left" || dice.chance(0.3),
        node: node(),
      };
    });
  }).flat();
}
