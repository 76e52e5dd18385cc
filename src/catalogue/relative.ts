// The relative of a name that no card has: the card of the same family by whose price it can be held and charged.
import { CHAT_ONLY, type ModelCard } from "../core/models/card.ts";
import { hasEnded } from "./dated.ts";

const NAME_CHARACTERS_MAX = 128;
/** A tuned model has the owner's name and the price of its training. */
const TUNED = "ft:";
/** The day of a version: `-2026-11-17`, `-20261117`, `@20261117`. */
const DATE = /[-@](?:\d{4}-\d{2}-\d{2}|\d{8})$/;
/** Models for other work, whose prices say nothing of those without. */
const APART = ["audio", "realtime", "live", "image", "tts", "research", "computer", "search"];

/** A name without its date, as the rules compare it. */
interface RelativeName {
  readonly words: readonly string[];
  readonly numbers: readonly number[];
}

interface Relation extends RelativeName {
  readonly card: ModelCard;
}

/**
 * Returns the card among those of a provider whose price a new name probably has: the name itself without a date; else
 * the newest of the same words; else the most expensive of the newest generation with the same first word. Null if the
 * name is older than those, is for other work, or resembles none.
 */
export function findRelative(name: string, cards: readonly ModelCard[]): ModelCard | null {
  if (name.length > NAME_CHARACTERS_MAX || name.includes(TUNED)) return null;
  const priced = cards.filter(({ price }) => price !== null);
  const chats = priced.filter((card) => (card.operations ?? CHAT_ONLY).has("chat") && !hasEnded(card));
  const found = findUndated(name, chats) ?? findAmong(parseName(name), chats, priced);
  if (found === null) return null;
  const { words } = parseName(name);
  const own = new Set(parseName(found.name).words);
  return APART.some((word) => words.includes(word) && !own.has(word)) ? null : found;
}

function findUndated(name: string, chats: readonly ModelCard[]): ModelCard | null {
  const bare = name.replace(DATE, "");
  return (bare === name ? undefined : chats.find((card) => card.name === bare)) ?? null;
}

function findAmong(
  asked: RelativeName,
  chats: readonly ModelCard[],
  priced: readonly ModelCard[],
): ModelCard | null {
  const relations = chats.map((card) => ({ card, ...parseName(card.name) }));
  const words = asked.words.join(" ");
  const [newest] = relations.filter((one) => one.words.join(" ") === words).toSorted(compareNewest);
  if (newest !== undefined) return compareNumbers(asked.numbers, newest.numbers) < 0 ? null : newest.card;
  const isKin = ({ words: [first] }: RelativeName) => first !== undefined && first === asked.words[0];
  const generation = asked.numbers[0] ?? -1;
  const others = priced.map(({ name }) => parseName(name)).filter(isKin);
  if (others.some(({ numbers: [first = -1] }) => first > generation)) return null;
  return findMostExpensive(relations.filter((one) => isKin(one) && one.numbers.length > 0));
}

function findMostExpensive(kin: readonly Relation[]): ModelCard | null {
  const last = Math.max(...kin.map(({ numbers: [first = -1] }) => first));
  const [most] = kin.filter(({ numbers }) => numbers[0] === last).toSorted(compareOutput);
  return most?.card ?? null;
}

function parseName(name: string): RelativeName {
  const bare = name.toLowerCase().replace(DATE, "");
  return { words: bare.match(/\p{L}+/gu) ?? [], numbers: (bare.match(/\d+/g) ?? []).map(Number) };
}

/** The highest numbers first, and of the same ones the most expensive. */
function compareNewest(one: Relation, other: Relation): number {
  return compareNumbers(other.numbers, one.numbers) || compareOutput(one, other);
}

function compareOutput(one: Relation, other: Relation): number {
  return (other.card.price?.output ?? 0) - (one.card.price?.output ?? 0);
}

/** A name without a further number is older: 6 comes before 6.1. */
function compareNumbers(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? -1) - (other[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}
