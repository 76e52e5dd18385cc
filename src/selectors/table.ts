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
  const limits = cards.map(findLimits);
  return {
    cards,
    profiles,
    ...groupProfiles(profiles),
    places: new Map(cards.map(({ id }, place) => [id, place])),
    level: column(({ level }) => level),
    /** Places in SOURCES. */
    source: Uint8Array.from(profiles, ({ source }) => SOURCES.indexOf(source)),
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
    toolsMax: Float64Array.from(limits, ({ toolsMax }) => toolsMax),
    pictureBytesMax: Float64Array.from(limits, ({ pictureBytesMax }) => pictureBytesMax),
    textCharactersMax: Float64Array.from(limits, ({ textCharactersMax }) => textCharactersMax),
    least: findLeast(limits),
    /** A bit for each kind of picture that it doesn't take. */
    untakenPictures: Uint8Array.from(limits, (one) => toPictureBits(one.untakenPictures)),
    /** 1 if it takes videos, as far as is known. */
    takesVideos: Uint8Array.from(limits, (one) => Number(one.takesVideos)),
    /** Prompt and answer together, in tokens. */
    room: Float64Array.from(cards, (card) => card.contextTokensMax ?? Number.POSITIVE_INFINITY),
  };
}

type CardLimits = ReturnType<typeof findLimits>;

/** Returns the least of each limit. */
function findLeast(limits: readonly CardLimits[]) {
  const least = (read: (one: CardLimits) => number) =>
    limits.reduce((lowest, one) => Math.min(lowest, read(one)), Number.POSITIVE_INFINITY);
  return {
    toolsMax: least(({ toolsMax }) => toolsMax),
    pictureBytesMax: least(({ pictureBytesMax }) => pictureBytesMax),
    textCharactersMax: least(({ textCharactersMax }) => textCharactersMax),
  };
}

/**
 * Returns the profiles that differ in what quality depends on, as columns, and the place of each card's among them: a model
 * that several providers serve is scored once.
 */
function groupProfiles(profiles: readonly Profile[]) {
  const places = new Map<string, number>();
  const distinct: Profile[] = [];
  const profileAt = Int32Array.from(profiles, (profile) =>
    places.getOrInsertComputed(writeNumbers(profile), () => distinct.push(profile) - 1),
  );
  const join = (read: (profile: Profile) => Float64Array) => {
    const all = new Float64Array(distinct.length * SKILLS.length);
    for (const [place, profile] of distinct.entries()) all.set(read(profile), place * SKILLS.length);
    return all;
  };
  return {
    profileAt,
    /** As many of each profile as there are SKILLS. */
    odds: join(({ odds }) => odds),
    oddsSpreads: join(({ oddsSpreads }) => oddsSpreads),
    oddsLevel: Float64Array.from(distinct, ({ oddsLevel }) => oddsLevel),
    /** 1 if some skills are guessed. */
    isGuessed: Uint8Array.from(distinct, ({ isGuessed }) => Number(isGuessed)),
  };
}

/** Writes the numbers of a profile that its quality depends on, to the last bit. */
function writeNumbers({ odds, oddsSpreads, isGuessed }: Profile): string {
  const bytes = ({ buffer }: Float64Array) => Buffer.from(buffer).toString("latin1");
  return `${isGuessed}${bytes(odds)}${bytes(oddsSpreads)}`;
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
