// The changes that a list of prices has for the catalogue, as the operator reviews and accepts them.
import { type Static, Type } from "@sinclair/typebox";
import { findPriceDay } from "../../catalogue/feeds/as-of.ts";
import type { Proposal } from "../../catalogue/feeds/compare-feed.ts";
import { type ModelUse, reportUse } from "../../catalogue/feeds/use-report.ts";
import { Fault } from "../../core/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { FEED_FORMATS, type FeedFormat } from "../../core/models/feed-format.ts";
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { Store } from "../../core/store.ts";
import { note } from "../audit/audit-trail.ts";
import { formatInstant } from "../format.ts";
import {
  allowNull,
  allowWords,
  boolean,
  closeObject,
  count,
  instant,
  text,
  usd,
  type View,
} from "../schema.ts";
import type { ActingWorld } from "../world.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The time whose requests are priced again. */
const USED_MS = 30 * DAY_MS;
/** The changes that an entry of the audit log names. */
const NOTED_MAX = 200;

const changeSchema = Type.Object({
  model: text,
  field: allowWords(["price", "later_prices", "shutdown", "context", "output", "model"]),
  before: allowNull(text),
  after: text,
  verdict: allowWords(["taken", "waits", "refused"]),
  reason: allowNull(text),
  requests: Type.Integer({ minimum: 0, description: "Of the last 30 days, as all counts here." }),
  cost_usd: usd,
  would_cost_usd: allowNull(usd),
});

export const priceReviewSchema = Type.Object({
  as_of: Type.String({ format: "date", description: "The day of the catalogue's prices." }),
  compared_at: allowNull(instant),
  format: allowNull(allowWords(FEED_FORMATS)),
  can_accept: Type.Boolean({ description: "True if the configuration names a catalogue file." }),
  models_used: Type.Integer({
    minimum: 0,
    description: "Used in the last 30 days, with a change that isn't refused.",
  }),
  added: Type.Integer({ minimum: 0, description: "Models that the catalogue doesn't have." }),
  cost_usd: usd,
  would_cost_usd: Type.Number({ description: "USD. The same if all changed prices had been accepted." }),
  changes: Type.Array(changeSchema, {
    description: "Those of models of the catalogue, the used ones first.",
  }),
});
export type PriceReview = View<typeof priceReviewSchema>;

export const acceptSchema = closeObject({
  yes: Type.Optional(Type.Boolean({ description: "Takes what waits, too." })),
});

export const acceptedSchema = Type.Object({ accepted: count, models: count, waits: boolean });

/** The last comparison with the list that is watched. */
export interface ComparedPrices {
  readonly atMs: number;
  readonly format: FeedFormat;
  readonly proposals: readonly Proposal[];
  /** The catalogue's cards that they were made for. */
  readonly known: ReadonlyMap<string, ModelCard>;
}

export interface PriceReviewParts {
  /** Null until a list was compared. */
  readonly compared: () => ComparedPrices | null;
  /** The day of the operator's catalogue file. */
  readonly asOf: () => string | undefined;
  /** The file that accepted changes are written to. Undefined if the configuration names none. */
  readonly file: () => string | undefined;
  /** Writes the file with these of the proposals. Rejects if it can't be written. */
  readonly write: (compared: ComparedPrices, accepted: readonly Proposal[]) => Promise<void>;
}

/** Returns how the models were used in the last 30 days. */
export async function sumModelUse(store: Pick<Store, "usage">, nowMs: number): Promise<readonly ModelUse[]> {
  const fromMs = Math.floor((nowMs - USED_MS) / HOUR_MS) * HOUR_MS;
  return await store.usage({ fromMs, toMs: nowMs + HOUR_MS, groupBy: ["model"] });
}

export async function reviewPrices(
  parts: PriceReviewParts,
  { store, clock }: Pick<ActingWorld, "store" | "clock">,
): Promise<PriceReview> {
  const compared = parts.compared();
  const as_of = findPriceDay(parts.asOf());
  const can_accept = parts.file() !== undefined;
  if (compared === null) return { ...NOTHING, as_of, can_accept };
  const { atMs, format, proposals, known } = compared;
  const uses = await sumModelUse(store, clock.nowMs());
  const requests = new Map(uses.map((use) => [use.model, use.requests]));
  const repriced = reportUse(proposals, known, uses);
  const costs = new Map(repriced.map((use) => [use.model, use]));
  const ours = proposals.filter(({ id }) => known.has(id));
  const changes = ours.map((proposal) => {
    const use = proposal.field === "price" ? costs.get(proposal.id) : undefined;
    const cost = use === undefined ? NO_COST : viewCost(use);
    return { ...viewProposal(proposal), requests: requests.get(proposal.id) ?? 0, ...cost };
  });
  const used = changes.filter(({ requests: own, verdict }) => own > 0 && verdict !== "refused");
  const sum = (read: (use: (typeof repriced)[number]) => NanoUsd) =>
    toUsd(repriced.reduce((total, use) => total + read(use), 0));
  return {
    as_of,
    compared_at: formatInstant(atMs),
    format,
    can_accept,
    models_used: new Set(used.map(({ model }) => model)).size,
    added: proposals.filter(({ adds }) => adds !== undefined).length,
    cost_usd: sum(({ costNanoUsd }) => costNanoUsd),
    would_cost_usd: sum(({ wouldNanoUsd }) => wouldNanoUsd),
    changes: changes.toSorted((one, other) => other.requests - one.requests),
  };
}

const NO_COST = { cost_usd: 0, would_cost_usd: null } as const;
const NOTHING = {
  compared_at: null,
  format: null,
  models_used: 0,
  added: 0,
  cost_usd: 0,
  would_cost_usd: 0,
  changes: [],
} as const;

function viewCost({ costNanoUsd, wouldNanoUsd }: { costNanoUsd: NanoUsd; wouldNanoUsd: NanoUsd }) {
  return { cost_usd: toUsd(costNanoUsd), would_cost_usd: toUsd(wouldNanoUsd) };
}

function viewProposal({ id, field, before, after, verdict, reason }: Proposal) {
  return { model: id, field, before, after, verdict, reason };
}

/**
 * Takes what the list has into the catalogue file, as `poundkey catalogue update --apply` does. Throws the Fault
 * `catalogue_not_writable`.
 */
export async function acceptPrices(
  parts: PriceReviewParts,
  world: ActingWorld,
  { yes = false }: Static<typeof acceptSchema>,
): Promise<View<typeof acceptedSchema>> {
  const compared = parts.compared();
  if (compared === null) throw refuse("No list of prices was compared yet: set catalogue.watch.");
  if (parts.file() === undefined)
    throw refuse("The configuration names no catalogue file: set catalogue.file to a path.");
  const isAccepted = ({ verdict }: Proposal) => verdict === "taken" || (yes && verdict === "waits");
  const accepted = compared.proposals.filter(isAccepted);
  if (accepted.length === 0) throw refuse("No change may be taken.");
  try {
    await parts.write(compared, accepted);
  } catch (error) {
    throw refuse(`The catalogue file can't be written: ${error instanceof Error ? error.message : error}.`);
  }
  const names = accepted.slice(0, NOTED_MAX).map(({ id, field, before, after }) => {
    return `${id} ${field}: ${before === null ? after : `${before} → ${after}`}`;
  });
  const after = { format: compared.format, accepted: accepted.length, changes: names };
  const target = { type: "catalogue", id: "", name: "" } as const;
  await note(world, world.act, { action: "catalogue.updated", target, after });
  const waits = !yes && compared.proposals.some(({ verdict }) => verdict === "waits");
  return { accepted: accepted.length, models: new Set(accepted.map(({ id }) => id)).size, waits };
}

function refuse(message: string): Fault {
  return new Fault("catalogue_not_writable", message);
}

/** Returns the number of models of each provider whose price the list changes. */
export function countPriceChanges(compared: ComparedPrices | null): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { id, field, verdict } of compared?.proposals ?? []) {
    const provider = compared?.known.get(id)?.provider;
    if (provider === undefined || field !== "price" || verdict === "refused") continue;
    counts.set(provider, (counts.get(provider) ?? 0) + 1);
  }
  return counts;
}
