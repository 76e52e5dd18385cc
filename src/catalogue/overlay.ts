// The operator's changes to the catalogue's cards, and the mistakes in them.
import type { Capability, ModelCard } from "../core/models/card.ts";
import { type AbilityWord, listRows } from "../core/models/refusal-rules.ts";
import type { ModelOverlay } from "../core/settings.ts";
import { findNearest } from "../core/text/nearest.ts";
import { isUnitMistake, priceView } from "./price.ts";

/** A mistake in an entry. The path is empty if the id itself is wrong. */
interface OverlayProblem {
  readonly id: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Finds a longer message. It looks at all cards. */
  readonly explain?: () => string;
}

/** Returns the card with the operator's changes. Null if it is disabled. */
export function applyOverlay(card: ModelCard, change: ModelOverlay | undefined): ModelCard | null {
  if (change === undefined) return card;
  if (change.disabled) return null;
  const { laterPrices: announced, ...own } = card;
  // The operator's own price applies until the operator changes it, so announced ones are dropped.
  const laterPrices = change.laterPrices ?? (change.price ? undefined : announced);
  const { shutdownDate = card.shutdownDate } = change;
  return {
    ...own,
    shutdownDate: shutdownDate ?? undefined,
    // The provider bills searches, whether or not the operator's price names them.
    price: change.price
      ? { ...change.price, perSearch: change.price.perSearch ?? card.price?.perSearch }
      : card.price,
    ...(change.price ? { isPriceStated: true } : {}),
    ...(laterPrices ? { laterPrices } : {}),
    contextTokensMax: change.contextTokensMax ?? card.contextTokensMax,
    outputTokensMax: change.outputTokensMax ?? card.outputTokensMax,
    capabilities: listCapabilities(card, change),
    operations: change.operations ?? card.operations,
    ...takeFallbacks(card, change),
    ...(change.skills ? { skills: change.skills } : {}),
    ...(change.hedge ? { hedge: change.hedge } : {}),
    ...takeRefusals(change),
  };
}

function takeFallbacks(
  card: ModelCard,
  { fallbacks = card.fallbacks, fallbackFailures }: ModelOverlay,
): Pick<ModelCard, "fallbacks" | "fallbackFailures"> {
  return { fallbacks, ...(fallbackFailures ? { fallbackFailures } : {}) };
}

/** A model that refuses nothing has no field for it, so that a request needn't look. */
function takeRefusals({ refuses, accepts }: ModelOverlay): Pick<ModelCard, "refuses" | "accepts"> {
  return {
    ...(refuses?.size ? { refuses } : {}),
    ...(accepts?.size ? { accepts } : {}),
  };
}

/** A capability that a word takes from a model, and the part of it that is left. */
const PARTS: Readonly<Record<AbilityWord, readonly [whole: Capability, part: Capability]>> = {
  forced_tool: ["tools", "tools_auto"],
};
const PART_ROWS = listRows(PARTS);

/** The operator's words on what a model can do in part replace those of the list. */
function takeAbilities(
  given: ModelCard["capabilities"],
  { refuses, accepts }: ModelOverlay,
): ModelCard["capabilities"] {
  let able = given;
  for (const [word, [whole, part]] of PART_ROWS) {
    if (refuses?.has(word) && able.has(whole)) able = swapCapability(able, whole, part);
    else if (accepts?.has(word) && able.has(part)) able = swapCapability(able, part, whole);
  }
  return able;
}

function swapCapability(given: ModelCard["capabilities"], from: Capability, to: Capability) {
  return new Set([...given].map((one) => (one === from ? to : one)));
}

/** A price for searches says that the model searches. */
function listCapabilities(card: ModelCard, change: ModelOverlay): ModelCard["capabilities"] {
  const { capabilities, price } = change;
  const given = takeAbilities(capabilities ?? card.capabilities, change);
  return price?.perSearch === undefined ? given : new Set([...given, "search"]);
}

/**
 * Returns all mistakes in the overlay, checked against every known card, even if its provider is disabled. `passes` is
 * true for ids without a card that a provider accepts.
 */
export function findOverlayProblems(
  cards: ReadonlyMap<string, ModelCard>,
  overlay: readonly ModelOverlay[],
  passes: (id: string) => boolean = () => false,
): OverlayProblem[] {
  return overlay.flatMap((change) => {
    const card = cards.get(change.id);
    if (card === undefined) {
      const explain = () => describeMissing(change.id, cards);
      return [{ id: change.id, path: [], message: NO_MODEL, explain }];
    }
    return [
      ...findPriceProblems(card, change),
      ...findLimitProblems(card, change),
      ...findFallbackProblems(change, cards, passes),
    ];
  });
}

function describeMissing(id: string, cards: ReadonlyMap<string, ModelCard>): string {
  const provider = id.slice(0, Math.max(0, id.indexOf("#"))) || "<name>";
  return `${describeUnknownModel(id, cards)}; to add a model, name it under providers.${provider}.models (like, price)`;
}

export const NO_MODEL = "no model has this id";

/** Returns the message for an id that no card has: with the nearest ids, or those of the name without its provider. */
export function describeUnknownModel(id: string, cards: ReadonlyMap<string, ModelCard>): string {
  const near = findNearestIds(id, cards);
  return `${NO_MODEL}${near.length > 0 ? `; did you mean ${near.join(" or ")}?` : ""}`;
}

function findNearestIds(id: string, cards: ReadonlyMap<string, ModelCard>): readonly string[] {
  const bare = id.slice(id.indexOf("#") + 1).toLowerCase();
  const byName = Map.groupBy(cards.values(), ({ name }) => name.toLowerCase());
  const listNamed = (name: string) => (byName.get(name) ?? []).slice(0, NEAREST_MAX).map((card) => card.id);
  if (!id.includes("#") && byName.has(bare)) return listNamed(bare);
  const near = findNearest(id, cards.keys(), 1);
  return near.length > 0 ? near : findNearest(bare, byName.keys(), 1).flatMap(listNamed);
}
const NEAREST_MAX = 3;

function findPriceProblems(card: ModelCard, change: ModelOverlay): OverlayProblem[] {
  const known = card.price;
  if (!known) return [];
  const { input, output } = priceView(known);
  const message = `differs by a factor of 100 or more from the known price (input ${input}, output ${output}); prices are in USD per million tokens`;
  const later = (change.laterPrices ?? []).map(({ price }, at) => ({ price, path: ["later_prices", at] }));
  return [{ price: change.price, path: ["price"] }, ...later].flatMap(({ price, path }) =>
    price && isUnitMistake(price, known) ? [{ id: card.id, path, message }] : [],
  );
}

function findLimitProblems(card: ModelCard, change: ModelOverlay): OverlayProblem[] {
  const { contextTokensMax: context, outputTokensMax: output } =
    applyOverlay(card, { ...change, disabled: false }) ?? card;
  if (context === null || output === null || output <= context) return [];
  const path = [change.outputTokensMax === undefined ? "context" : "output"];
  return [
    { id: card.id, path, message: `the output limit ${output} is larger than the context window ${context}` },
  ];
}

function findFallbackProblems(
  change: ModelOverlay,
  cards: ReadonlyMap<string, ModelCard>,
  passes: (id: string) => boolean,
): OverlayProblem[] {
  return (change.fallbacks ?? []).flatMap((id, at) => {
    const path = ["fallbacks", at];
    const problem = (message: string) => [{ id: change.id, path, message }];
    if (id === change.id) return problem("a model can't be its own fallback");
    if (change.fallbacks?.indexOf(id) !== at) return problem("this fallback is listed twice");
    if (cards.has(id) || passes(id)) return [];
    return [{ id: change.id, path, message: NO_MODEL, explain: () => describeUnknownModel(id, cards) }];
  });
}
