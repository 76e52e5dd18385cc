// Cache points, which are blocks of their own at Converse.
import { type Cacheable, limitMarks, type MarkForm, mapLists, setMarks } from "../_chat/cache/marks.ts";
import type { Block } from "./content.ts";
import { isPoint } from "./conversation.ts";
import type { Traits } from "./models.ts";

const POINT: Block = { cachePoint: { type: "default" } };

const CACHE_POINTS: MarkForm<Block> = {
  filter: (blocks, keeps) => blocks.filter((block) => !isPoint(block) || keeps()),
  set: (blocks, place) => (place === "tools" || blocks.length === 0 ? blocks : [...blocks, POINT]),
};

/**
 * Sets points if `isSetting` and the client set none, and keeps those that the model accepts: none among Nova's tools,
 * none at all for models without a cache, and no more than four.
 */
export function planPoints(
  given: Cacheable<Block>,
  { cache }: Traits,
  isSetting: boolean,
): Cacheable<Block> & { readonly isChanged: boolean } {
  let isRefused = false;
  const allowed = mapLists(isSetting ? setMarks(given, CACHE_POINTS) : given, (blocks, place) => {
    const isAllowed = place === "tools" ? cache.tools : cache.prompt;
    const kept = CACHE_POINTS.filter(blocks, () => {
      isRefused ||= !isAllowed;
      return isAllowed;
    });
    return cache.hours ? kept : kept.map((block) => (isPoint(block) ? POINT : block));
  });
  const { isChanged, ...limited } = limitMarks(allowed, CACHE_POINTS);
  return { ...limited, isChanged: !isSetting && (isChanged || isRefused) };
}
