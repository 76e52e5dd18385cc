// The models to choose among as columns of numbers by place, made once for each list of cards: a request that read
// thousands of cards and profiles as objects would mostly wait for memory.
import {
  CAPABILITIES,
  type Capability,
  can,
  type ModelCard,
  type Price,
  type Rates,
} from "../core/models/card.ts";
import { SOURCES } from "../core/models/origin.ts";
import { PICTURE_KINDS, type PictureKind } from "../core/models/refusals.ts";
import { SKILLS } from "../core/models/skill.ts";
import { findLimits } from "../core/models/target-rows.ts";
import { findProfile, type Profile } from "./profiles.ts";

export type CardTable = Readonly<ReturnType<typeof makeTable>>;

function makeTable(cards: readonly ModelCard[]) {
  const profiles = cards.map(findProfile);
  const column = (read: (profile: Profile) => number) => Float64Array.from(profiles, read);
  const join = (read: (profile: Profile) => Float64Array) => {
    const all = new Float64Array(cards.length * SKILLS.length);
    for (const [place, profile] of profiles.entries()) all.set(read(profile), place * SKILLS.length);
    return all;
  };
  return {
    cards,
    profiles,
    places: new Map(cards.map(({ id }, place) => [id, place])),
    /** As many of each profile as there are SKILLS. */
    odds: join(({ odds }) => odds),
    oddsSpreads: join(({ oddsSpreads }) => oddsSpreads),
    oddsLevel: column(({ oddsLevel }) => oddsLevel),
    level: column(({ level }) => level),
    /** Places in SOURCES. */
    source: Uint8Array.from(profiles, ({ source }) => SOURCES.indexOf(source)),
    /** 1 if some skills are guessed. */
    isGuessed: Uint8Array.from(profiles, ({ isGuessed }) => Number(isGuessed)),
    thinkingTokens: column(({ thinkingTokens }) => thinkingTokens),
    firstTokenMs: column(({ firstTokenMs }) => firstTokenMs),
    tokensPerSecond: column(({ tokensPerSecond }) => tokensPerSecond),
    ...makePrices(cards.map(({ price }) => price && readPrice(price))),
    capabilities: Uint8Array.from(cards, (card) => toBits(CAPABILITIES.filter((one) => can(card, one)))),
    /** 1 if it serves chat, as far as is known: selectors choose no others. */
    isChat: Uint8Array.from(cards, ({ operations }) => Number(operations?.has("chat") ?? true)),
    /** The place in ASIDE of the reason not to choose it by default, plus 1. 0 if there is none. */
    aside: Uint8Array.from(cards, (card) => ASIDE.indexOf(findAside(card) ?? "") + 1),
    /** The longest answer, in tokens. */
    outputMax: Float64Array.from(cards, (card) => card.outputTokensMax ?? Number.POSITIVE_INFINITY),
    /** Infinite if no number is known. */
    toolsMax: Float64Array.from(cards, (card) => findLimits(card).toolsMax),
    pictureBytesMax: Float64Array.from(cards, (card) => findLimits(card).pictureBytesMax),
    textCharactersMax: Float64Array.from(cards, (card) => findLimits(card).textCharactersMax),
    /** A bit for each kind of picture that it doesn't take. */
    untakenPictures: Uint8Array.from(cards, (card) => toPictureBits(findLimits(card).untakenPictures)),
    /** 1 if it takes videos, as far as is known. */
    takesVideos: Uint8Array.from(cards, (card) => Number(findLimits(card).takesVideos)),
    /** Prompt and answer together, in tokens. */
    room: Float64Array.from(cards, (card) => card.contextTokensMax ?? Number.POSITIVE_INFINITY),
  };
}

/** Returns the part of a price that choosing reads, in full: objects of one shape are read several times as fast. */
function readPrice({ perRequest = 0, tiers = [], ...price }: Price): Price {
  const { input, output, cachedInput, reasoning } = readRates(price);
  const levels = tiers.map(({ aboveTokens, ...rates }) => ({ ...readRates(rates), aboveTokens }));
  return { input, output, cachedInput, reasoning, perRequest, tiers: levels };
}

/** Prices as they are, and the rates of those that are the same for prompts of any length as columns. */
function makePrices(prices: readonly (Price | null)[]) {
  const column = (read: (price: Price) => number | undefined) =>
    Float64Array.from(prices, (price) => (price && read(price)) ?? 0);
  return {
    prices,
    /** 1 if the rates depend on the prompt's length. */
    isTiered: Uint8Array.from(prices, (price) => Number((price?.tiers ?? []).length > 0)),
    inputRate: column(({ input }) => input),
    outputRate: column(({ output }) => output),
    reasoningRate: column(({ reasoning }) => reasoning),
    perRequest: column(({ perRequest }) => perRequest),
  };
}

function readRates({ input, output, cachedInput = input, reasoning = output }: Rates) {
  return { input, output, cachedInput, reasoning };
}

/** Its provider no longer answers, so nothing brings the model back. */
export const ENDED = "ended";
/** The reasons not to choose a model for what it isn't made for. */
export const ASIDE: readonly string[] = ["preview", "completion", "deprecated", ENDED];

function findAside({ kind, ending }: ModelCard): string | undefined {
  if (ending === "over") return ENDED;
  return kind ?? (ending === undefined ? undefined : "deprecated");
}

/** Cached by list, which lives as long as a configuration. */
const tables = new WeakMap<readonly ModelCard[], CardTable>();

export function findTable(cards: readonly ModelCard[]): CardTable {
  return tables.getOrInsertComputed(cards, makeTable);
}

/** Returns a bit for each of these kinds. */
export function toPictureBits(kinds: readonly PictureKind[]): number {
  return kinds.reduce((bits, kind) => bits | (1 << PICTURE_KINDS.indexOf(kind)), 0);
}

/** Returns a bit for each of these capabilities. */
export function toBits(capabilities: readonly Capability[]): number {
  return capabilities.reduce((bits, one) => bits | (1 << CAPABILITIES.indexOf(one)), 0);
}
