// Cache points, which are blocks of their own at Converse.
import type { MarkTime } from "../../core/models/words/cache-marks.ts";
import { type Cacheable, limitMarks, type MarkForm, mapLists, setMarks } from "../_chat/cache/marks.ts";
import type { Block } from "./content.ts";
import { isPoint } from "./conversation.ts";
import type { BedrockTraits } from "./models.ts";

const POINT: Block = { cachePoint: { type: "default" } };

const POINT_FOR_AN_HOUR: Block = { cachePoint: { type: "default", ttl: "1h" } };

function makeForm(point: Block, isAmongTools: boolean): MarkForm<Block> {
  return {
    filter: (blocks, keeps) => blocks.filter((block) => !isPoint(block) || keeps()),
    set(blocks, place) {
      const isSet = blocks.length > 0 && (place !== "tools" || isAmongTools);
      return isSet ? [...blocks, point] : blocks;
    },
  };
}

const CACHE_POINTS = makeForm(POINT, false);

/**
 * Sets points if `marks` has a time and the client set none, and keeps those that the model accepts: none among Nova's tools,
 * none at all for models without a cache, and no more than four.
 */
export function planPoints(
  given: Cacheable<Block>,
  { cache }: BedrockTraits,
  marks: MarkTime | undefined,
): Cacheable<Block> & { readonly isChanged: boolean; readonly marked: MarkTime | undefined } {
  let isRefused = false;
  const time = cache.hours ? marks : marks && "5m";
  const form = makeForm(time === "1h" ? POINT_FOR_AN_HOUR : POINT, cache.tools);
  const set = time === undefined ? given : setMarks(given, form);
  const isSet = set !== given && cache.prompt;
  const allowed = mapLists(set, (blocks, place) => {
    const isAllowed = place === "tools" ? cache.tools : cache.prompt;
    const kept = CACHE_POINTS.filter(blocks, () => {
      isRefused ||= !isAllowed;
      return isAllowed;
    });
    return cache.hours ? kept : kept.map((block) => (isPoint(block) ? POINT : block));
  });
  const { isChanged, ...limited } = limitMarks(allowed, CACHE_POINTS);
  return {
    ...limited,
    isChanged: marks === undefined && (isChanged || isRefused),
    marked: isSet ? time : undefined,
  };
}
