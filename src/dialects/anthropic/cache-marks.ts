// Cache marks of Anthropic's, a field of blocks and tools.
import type { JsonObject } from "../../core/json/json.ts";
import type { MarkTime } from "../../core/models/words/cache-marks.ts";
import { type MarkForm, makeMark } from "../_chat/cache/marks.ts";

/** Blocks that can't carry a mark (Messages API, "What cannot be cached"). */
const UNMARKABLE: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

export function makeCacheMarks(time: MarkTime): MarkForm<JsonObject> {
  return {
    filter: (blocks, keeps) => blocks.map((block) => filterMarks(block, keeps)),
    set(blocks) {
      const last = blocks.findLastIndex(({ type, text }) => !UNMARKABLE.has(type) && text !== "");
      return blocks.map((block, at) => (at === last ? { ...block, ...makeMark(time) } : block));
    },
  };
}

export const CACHE_MARKS = makeCacheMarks("5m");

/** A tool's result holds blocks of its own. */
function filterMarks(block: JsonObject, keeps: () => boolean): JsonObject {
  const content: unknown = block.content;
  const inner = Array.isArray(content)
    ? { ...block, content: content.map((one) => filterMarks(one, keeps)) }
    : block;
  if (inner.cache_control === undefined || keeps()) return inner;
  return { ...inner, cache_control: undefined }; // JSON leaves it out
}
