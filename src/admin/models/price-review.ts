// The changes that a list of prices has for the catalogue, as the operator reviews and accepts them.
import type { Static } from "@sinclair/typebox";
import { findIdlePattern, selectChanges } from "../../catalogue/feeds/select-changes.ts";
import { type ModelUse, reportUse } from "../../catalogue/feeds/use-report.ts";
import { isAccepted, isWaiting, type Proposal, type Verdict } from "../../catalogue/feeds/verdict.ts";
import type { CatalogueStanding } from "../../catalogue/file/standing.ts";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { type ModelCard, readProvider } from "../../core/models/card.ts";
import type { FeedFormat } from "../../core/models/feed-format.ts";
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { Store } from "../../core/store.ts";
import { recordAct } from "../audit/audit-trail.ts";
import { formatInstant } from "../format.ts";
import type { View } from "../schema.ts";
import type { ActingWorld } from "../world.ts";
import type { acceptedSchema, acceptSchema, PriceReview, reviewQuery } from "./price-review-schema.ts";
import type { WatchedList } from "./watched-list.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The time whose requests are priced again. */
const USED_MS = 30 * DAY_MS;
/** The changes that an entry of the audit log names. */
const NOTED_MAX = 200;

/** The last comparison with the list that is watched. */
export interface ComparedPrices {
  readonly atMs: number;
  readonly format: FeedFormat;
  /** Null for a list without a number. */
  readonly list: { readonly serial: number } | null;
  /** The list's day. Null if it doesn't say. */
  readonly asOf: string | null;
  readonly sha256: string;
  readonly proposals: readonly Proposal[];
  /** The catalogue's cards that they were made for. */
  readonly known: ReadonlyMap<string, ModelCard>;
}

export interface PriceReviewParts {
  /** Null until a list was compared. */
  readonly compared: () => ComparedPrices | null;
  /** Null until a list was looked at. */
  readonly list: () => WatchedList | null;
  /** The file that accepted changes are written to. Undefined if the configuration names none. */
  readonly file: () => string | undefined;
  /** Facts about the file that operators should know. */
  readonly standing: () => CatalogueStanding;
  /** The names of the enabled providers. */
  readonly enabled: () => ReadonlySet<string>;
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
  { all }: Static<typeof reviewQuery> = {},
): Promise<PriceReview> {
  const compared = parts.compared();
  const about = {
    can_accept: parts.file() !== undefined,
    list: viewList(parts.list(), compared?.sha256 ?? null),
    ...viewStanding(parts.standing()),
  };
  if (compared === null) return { ...NOTHING, ...about };
  const { atMs, format, proposals, known } = compared;
  const enabled = parts.enabled();
  const isEnabled = ({ id }: Proposal) => enabled.has(readProvider(id));
  const shown = all === "true" ? proposals : proposals.filter(isEnabled);
  const uses = await sumModelUse(store, clock.nowMs());
  const used = new Map(uses.map((use) => [use.model, use]));
  const repriced = reportUse(shown, known, uses);
  const costs = new Map(repriced.map((use) => [use.model, use]));
  const changes = shown.map((proposal) => {
    const { id, field } = proposal;
    const cost = field === "price" ? costs.get(id) : undefined;
    const { requests = 0, costNanoUsd = 0 } = used.get(id) ?? {};
    return {
      ...viewProposal(proposal),
      enabled: isEnabled(proposal),
      requests,
      last_30_days_usd: toUsd(costNanoUsd),
      ...(cost === undefined ? NO_COST : viewCost(cost)),
    };
  });
  const open = changes.filter(({ requests, verdict }) => requests > 0 && isOpen(verdict));
  const sum = (read: (use: (typeof repriced)[number]) => NanoUsd) =>
    toUsd(repriced.reduce((total, use) => total + read(use), 0));
  return {
    ...about,
    compared_at: formatInstant(atMs),
    format,
    models_used: new Set(open.map(({ id }) => id)).size,
    added: shown.filter(({ field }) => field === "model").length,
    elsewhere: proposals.length - proposals.filter(isEnabled).length,
    cost_usd: sum(({ costNanoUsd }) => costNanoUsd),
    would_cost_usd: sum(({ wouldNanoUsd }) => wouldNanoUsd),
    changes: changes.toSorted(
      (one, other) => Number(other.new) - Number(one.new) || other.requests - one.requests,
    ),
  };
}

function viewStanding({ asOf: as_of, overtaken, hiding }: CatalogueStanding) {
  return {
    as_of,
    overtaken: overtaken.map(({ id, fields }) => ({ id, fields: [...fields] })),
    hiding: hiding.map(({ id, fields, asOf, isPressing: pressing }) => ({
      id,
      fields: [...fields],
      as_of: asOf,
      pressing,
    })),
  };
}

function isOpen(verdict: Verdict): boolean {
  return verdict === "taken" || verdict === "waits";
}

function viewList(list: WatchedList | null, sha256: string | null): PriceReview["list"] {
  const { serial = null, asOf = null, source = null, key = null, fetchedAtMs, refused = null } = list ?? {};
  const fetched_at = fetchedAtMs === undefined ? null : formatInstant(fetchedAtMs);
  return { serial, sha256, as_of: asOf, source, key, fetched_at, refused };
}

const NO_COST = { cost_usd: 0, would_cost_usd: null } as const;
const NOTHING = {
  compared_at: null,
  format: null,
  models_used: 0,
  added: 0,
  elsewhere: 0,
  cost_usd: 0,
  would_cost_usd: 0,
  changes: [],
} as const;

function viewCost({ costNanoUsd, wouldNanoUsd }: { costNanoUsd: NanoUsd; wouldNanoUsd: NanoUsd }) {
  return { cost_usd: toUsd(costNanoUsd), would_cost_usd: toUsd(wouldNanoUsd) };
}

function viewProposal({ id, field, before, after, verdict, reason, isNew }: Proposal) {
  return { id, model: id, field, before, after, verdict, reason, new: isNew };
}

/**
 * Takes what the list has into the catalogue file, as `poundkey catalogue update --apply` does. Throws the Faults
 * `catalogue_changed`, `catalogue_not_writable`, and `invalid_value` for a pattern that matches no change.
 */
export async function acceptPrices(
  parts: PriceReviewParts,
  world: ActingWorld,
  asked: Static<typeof acceptSchema>,
): Promise<View<typeof acceptedSchema>> {
  const { yes = false, older = false } = asked;
  const compared = parts.compared();
  if (compared === null) throw refuse("No list of prices was compared yet: set catalogue.watch.");
  checkList(compared, asked);
  if (parts.file() === undefined)
    throw refuse("The configuration names no catalogue file: set catalogue.file to a path.");
  const selected = select(compared.proposals, parts.enabled(), asked);
  const accepted = selected.filter((proposal) => isAccepted(proposal, { yes, older }));
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
  await recordAct(world, world.act, { action: "catalogue.updated", target, after });
  const waits = !yes && selected.some((proposal) => isWaiting(proposal, { older }));
  return { accepted: accepted.length, models: new Set(accepted.map(({ id }) => id)).size, waits };
}

/** The changes were seen in one list, and another one may have come meanwhile. */
function checkList(
  { list, sha256: own }: ComparedPrices,
  { serial, sha256 }: Static<typeof acceptSchema>,
): void {
  const isSame =
    (serial === undefined || serial === list?.serial) && (sha256 === undefined || sha256 === own);
  if (!isSame)
    throw new Fault("catalogue_changed", "Another list was compared meanwhile. Look at its changes first.");
}

/** Patterns choose among all changes: a model that is named was seen. */
function select(
  proposals: readonly Proposal[],
  enabled: ReadonlySet<string>,
  { only, except }: Static<typeof acceptSchema>,
): readonly Proposal[] {
  const choice = { ...(only && { only }), ...(except && { except }) };
  const idle = findIdlePattern(proposals, choice);
  if (idle !== null) {
    throw invalidValue(`${idle.field}[${idle.at}]`, "no change is of a model with this id");
  }
  const asked = only ? proposals : proposals.filter(({ id }) => enabled.has(readProvider(id)));
  return selectChanges(asked, choice);
}

function refuse(message: string): Fault {
  return new Fault("catalogue_not_writable", message);
}

/** Returns the number of models of each provider whose price the list changes. */
export function countPriceChanges(compared: ComparedPrices | null): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { id, field, verdict } of compared?.proposals ?? []) {
    const provider = compared?.known.get(id)?.provider;
    if (provider === undefined || field !== "price" || !isOpen(verdict)) continue;
    counts.set(provider, (counts.get(provider) ?? 0) + 1);
  }
  return counts;
}
