// Compares a list of prices with the catalogue, row by row: what would change, and what may change by itself.
import { CHAT_ONLY, type ModelCard } from "../../core/models/card.ts";
import type { ModelOverlay } from "../../core/settings.ts";
import { buildLaterPrices, findLaterProblem, formatDay, parseDay } from "../later-prices.ts";
import { priceView } from "../price.ts";
import type { RateFields } from "../rates.ts";
import type { FeedRow } from "./feed.ts";
import { findPriceChange, type Verdict } from "./price-change.ts";

/** One thing that a list says of a model and the catalogue doesn't. */
export interface Proposal {
  readonly id: string;
  readonly field: "model" | "price" | "later_prices" | "shutdown" | "context" | "output";
  /** Null if unknown so far. */
  readonly before: string | null;
  readonly after: string;
  readonly verdict: Verdict;
  /** The reason if it isn't taken, else null. */
  readonly reason: string | null;
  readonly moves: "rises" | "falls" | null;
  /** The fields of the card that it sets. */
  readonly card: Partial<ModelCard>;
  /** The whole card of a new model. */
  readonly adds?: ModelCard;
}

export interface FeedComparison {
  /** Models of the catalogue that the list has too. */
  readonly compared: number;
  readonly equal: number;
  /** Models of the catalogue that the list doesn't have. */
  readonly unlisted: number;
  readonly proposals: readonly Proposal[];
}

interface FeedBasis {
  /** The catalogue's cards by id, without the configuration's own changes. */
  readonly known: ReadonlyMap<string, ModelCard>;
  /** The configuration's changes: what it states isn't proposed. */
  readonly overlay: readonly ModelOverlay[];
  readonly nowMs: number;
}

const DAY_MS = 86_400_000;
/** Time to notice a wrong end before it takes a model away. */
const NOTICE_DAYS = 14;
/** A window that moves by more is accepted by a person or not at all. */
const WINDOW_MOVE_MAX = 2;
/** A snapshot of a model, which has the model's own price, or a path that no client asks for. */
const SNAPSHOT = /(-\d{4}-\d{2}-\d{2}|[-@]\d{6,8})(-v\d+:\d+)?$/;
/** Their models' names begin with those of their makers. */
const MARKETS: ReadonlySet<string> = new Set([
  "OpenRouter",
  "Together",
  "DeepInfra",
  "NVIDIA",
  "Groq",
  "Novita",
  "Baseten",
]);

export function compareFeed(rows: readonly FeedRow[], basis: FeedBasis): FeedComparison {
  const changes = new Map(basis.overlay.map((change) => [change.id, change]));
  const providers = new Set([...basis.known.values()].map(({ provider }) => provider));
  const listed = rows.filter(({ id }) => basis.known.has(id));
  const proposals = rows.flatMap((row) => {
    const card = basis.known.get(row.id);
    if (card) return compareRow(card, row, changes.get(row.id), basis.nowMs);
    return proposeModel(row, providers, basis.nowMs);
  });
  const differing = new Set(proposals.map(({ id }) => id));
  return {
    compared: listed.length,
    equal: listed.filter(({ id }) => !differing.has(id)).length,
    unlisted: basis.known.size - listed.length,
    proposals,
  };
}

function compareRow(
  card: ModelCard,
  row: FeedRow,
  own: ModelOverlay | undefined,
  nowMs: number,
): readonly Proposal[] {
  return [
    own?.price === undefined ? proposePrice(card, row) : null,
    own?.price === undefined && own?.laterPrices === undefined ? proposeLater(card, row) : null,
    own?.shutdownDate === undefined ? proposeEnd(card, row, nowMs) : null,
    ...proposeLimits(card, row, own),
  ].flatMap((proposal) => proposal ?? []);
}

function proposePrice({ id, price: ours }: ModelCard, { price: stated }: FeedRow): Proposal | null {
  const change = stated === null ? null : findPriceChange(ours, stated);
  if (change === null) return null;
  const { price, ...rest } = change;
  return { id, field: "price", ...rest, card: { price } };
}

/** Announced prices that begin on days of which the catalogue knows nothing. */
function proposeLater(card: ModelCard, { laterPrices: stated }: FeedRow): Proposal | null {
  const known = new Set((card.laterPrices ?? []).map(({ fromMs }) => formatDay(fromMs)));
  const news = stated.filter(({ from }) => !known.has(from));
  if (news.length === 0 || card.price === null) return null;
  const usual = priceView(card.price);
  const fields = news.map(({ tiers = [], ...one }) => ({
    ...completeRates(one, usual),
    ...(tiers.length === 0 ? {} : { tiers: tiers.map((tier) => completeRates(tier, usual)) }),
  }));
  const wrong = findLaterProblem(fields, card.operations ?? CHAT_ONLY)?.message ?? null;
  const later = wrong === null ? buildLaterPrices(fields) : [];
  const isFree = fields.some(({ input, output }) => input === 0 || output === 0);
  return {
    id: card.id,
    field: "later_prices",
    before: null,
    after: fields
      .map(({ from, input, output }) => `from ${from}: input ${input}, output ${output}`)
      .join("; "),
    verdict: wrong !== null || isFree ? "refused" : "waits",
    reason: wrong ?? (isFree ? "a rate would be 0" : "it begins later"),
    moves: null,
    card: { laterPrices: [...(card.laterPrices ?? []), ...later] },
  };
}

function completeRates<Fields extends Partial<RateFields>>(stated: Fields, usual: RateFields) {
  return { ...stated, input: stated.input ?? usual.input, output: stated.output ?? usual.output };
}

function proposeEnd({ id, shutdownDate }: ModelCard, { shutdown }: FeedRow, nowMs: number): Proposal | null {
  if (shutdown === null || shutdown === shutdownDate) return null;
  const isAhead = (parseDay(shutdown) ?? 0) >= nowMs + NOTICE_DAYS * DAY_MS;
  return {
    id,
    field: "shutdown",
    before: shutdownDate ?? null,
    after: shutdown,
    verdict: isAhead ? "taken" : "waits",
    reason: isAhead ? null : `it is less than ${NOTICE_DAYS} days ahead`,
    moves: null,
    card: { shutdownDate: shutdown },
  };
}

/** Proposes both limits together, because one may be impossible without the other. */
function proposeLimits(card: ModelCard, row: FeedRow, own: ModelOverlay | undefined): readonly Proposal[] {
  const output =
    own?.outputTokensMax === undefined ? (row.output ?? card.outputTokensMax) : card.outputTokensMax;
  const context =
    own?.contextTokensMax === undefined ? readContext(card, row, output) : card.contextTokensMax;
  if (context !== null && output !== null && output > context) return [];
  const steps = [
    { field: "context", from: card.contextTokensMax, to: context, card: { contextTokensMax: context } },
    { field: "output", from: card.outputTokensMax, to: output, card: { outputTokensMax: output } },
  ] as const;
  const isNear = steps.every(({ from, to }) => isNearWindow(from, to));
  return steps.flatMap(({ field, from, to, card: sets }): readonly Proposal[] => {
    if (to === null || to === from) return [];
    return [
      {
        id: card.id,
        field,
        before: from === null ? null : String(from),
        after: String(to),
        verdict: isNear ? "taken" : "waits",
        reason: isNear ? null : `a limit moves by more than a factor of ${WINDOW_MOVE_MAX}`,
        moves: null,
        card: sets,
      },
    ];
  });
}

/** Some lists state the longest input in place of the window. Where that explains the difference, ours stays. */
function readContext({ contextTokensMax: ours }: ModelCard, { context }: FeedRow, output: number | null) {
  if (context === null || ours === null) return context ?? ours;
  return context < ours && context + (output ?? 0) >= ours ? ours : context;
}

function isNearWindow(from: number | null, to: number | null): boolean {
  return from === null || to === null || (to <= from * WINDOW_MOVE_MAX && from <= to * WINDOW_MOVE_MAX);
}

/** A model that is missing here is added without a price. The price waits. */
function proposeModel(row: FeedRow, providers: ReadonlySet<string>, nowMs: number): readonly Proposal[] {
  const [provider = "", ...rest] = row.id.split("#");
  const name = rest.join("#");
  const price = row.price === null ? null : findPriceChange(null, row.price);
  const isOver = row.shutdown !== null && (parseDay(row.shutdown) ?? 0) < nowMs;
  if (!providers.has(provider) || row.capabilities === null || isOver || SNAPSHOT.test(name)) return [];
  if (price === null || price.verdict === "refused" || (name.includes("/") && !MARKETS.has(provider)))
    return [];
  const { price: priced, ...change } = price;
  const adds = buildUnpriced(row, provider, name);
  const about = { id: row.id, before: null, moves: null };
  const after = "a new model, without a price";
  return [
    { ...about, field: "model", after, verdict: "taken", reason: null, card: {}, adds },
    { ...change, ...about, field: "price", card: { price: priced } },
  ];
}

function buildUnpriced(row: FeedRow, provider: string, name: string): ModelCard {
  const { context, output } = row;
  return {
    id: row.id,
    provider,
    name,
    created: 0,
    ...(row.shutdown === null ? {} : { shutdownDate: row.shutdown }),
    ownedBy: provider,
    contextTokensMax: context,
    outputTokensMax: context !== null && output !== null && output > context ? null : output,
    price: null,
    capabilities: new Set(row.capabilities),
    operations: CHAT_ONLY,
    listed: true,
    fallbacks: [],
  };
}

/** Returns the cards that change, with the proposals that `isAccepted` names. */
export function acceptProposals(
  { proposals }: Pick<FeedComparison, "proposals">,
  known: ReadonlyMap<string, ModelCard>,
  isAccepted: (proposal: Proposal) => boolean,
): ReadonlyMap<string, ModelCard> {
  const changed = new Map<string, ModelCard>();
  for (const proposal of proposals) {
    if (proposal.verdict === "refused" || !isAccepted(proposal)) continue;
    const before = proposal.adds ?? changed.get(proposal.id) ?? known.get(proposal.id);
    if (before) changed.set(proposal.id, { ...before, ...proposal.card });
  }
  return changed;
}
