// The end of a prompt's part that is worth caching, as OpenAI marks it.
import { isObject, type JsonObject } from "../../../core/json/json.ts";

/** OpenAI's field for the mark, on parts of messages. */
export const BREAKPOINT = "prompt_cache_breakpoint";

/** The models that take it: others refuse it (OpenAI, "Prompt caching", November 2026: from GPT-5.6 on). */
export const HAS_BREAKPOINTS = /^(openai[./]|ft:)?gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)/;

/**
 * Returns a part's mark: its own, or one for Anthropic's if `isCrossed`. Its time isn't kept, since a longer one costs more
 * at OpenAI. Undefined if it has none.
 */
export function findBreakpoint(part: JsonObject, isCrossed: boolean): unknown {
  const { [BREAKPOINT]: own, cache_control: mark } = part;
  if (own !== undefined) return own;
  return isCrossed && isObject(mark) ? { mode: "explicit" } : undefined;
}
