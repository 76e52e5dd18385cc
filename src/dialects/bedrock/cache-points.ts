// Cache points: limited to those that the model accepts, and the ones set for clients that set none.
import type { Turn } from "../_chat/turns.ts";
import type { Block } from "./content.ts";
import { isPoint } from "./conversation.ts";
import type { Traits } from "./models.ts";

/** Amazon Bedrock, "Prompt caching": checkpoints per request. */
const POINTS_MAX = 4;

/** Everything that can hold a point, in the order of the cached prefix. */
interface Cacheable {
  readonly tools: readonly Block[];
  readonly system: readonly Block[];
  readonly turns: readonly Turn<Block>[];
}

/**
 * Keeps the points that the model accepts: none among Nova's tools, none at all for models without a cache, and of more
 * than four the first, which other conversations share, and the last three.
 */
export function limitPoints(
  given: Cacheable,
  { cache }: Traits,
): Cacheable & { readonly isChanged: boolean } {
  let total = 0;
  const allowed = mapPoints(given, (point, place) => {
    if (place === "tools" ? !cache.tools : !cache.prompt) return null;
    total += 1;
    return cache.hours ? point : { cachePoint: { type: "default" } };
  });
  let index = -1;
  const kept = mapPoints(allowed, (point) => {
    index += 1;
    return index === 0 || index > total - POINTS_MAX ? point : null;
  });
  return { ...kept, isChanged: countPoints(kept) < countPoints(given) };
}

/** The number of user turns to mark: the last, and the one up to which the previous request was marked. */
const TURNS_MARKED = 2;
const POINT: Block = { cachePoint: { type: "default" } };

/** Sets points after the system prompt and the last two user turns. Changes nothing if the client set its own. */
export function setPoints(given: Cacheable): Cacheable {
  if (countPoints(given) > 0) return given;
  const users = given.turns.flatMap(({ role }, at) => (role === "user" ? [at] : []));
  const marked = new Set(users.slice(-TURNS_MARKED));
  return {
    ...given,
    system: given.system.length === 0 ? [] : [...given.system, POINT],
    turns: given.turns.map((turn, at) =>
      marked.has(at) ? { ...turn, content: [...turn.content, POINT] } : turn,
    ),
  };
}

function countPoints(given: Cacheable): number {
  let count = 0;
  mapPoints(given, (point) => {
    count += 1;
    return point;
  });
  return count;
}

type Change = (point: Block, place: keyof Cacheable) => Block | null;

/** Replaces each point by the result of `change`, and removes it if that is null. */
function mapPoints(given: Cacheable, change: Change): Cacheable {
  const map = (blocks: readonly Block[], place: keyof Cacheable): readonly Block[] =>
    blocks.map((block) => (isPoint(block) ? change(block, place) : block)).filter((block) => block !== null);
  return {
    tools: map(given.tools, "tools"),
    system: map(given.system, "system"),
    turns: given.turns.map((turn) => ({ ...turn, content: map(turn.content, "turns") })),
  };
}
