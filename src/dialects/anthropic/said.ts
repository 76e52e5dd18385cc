// The end of a prompt for Claude: the gateway's own words, and the tools that the client doesn't allow this time.
import type { JsonObject } from "../../core/json/json.ts";
import { writeNote } from "../../operations/chat/prompt/note.ts";
import { joinSaid } from "../../operations/chat/prompt/say-at-end.ts";
import { sayInTurns, type Turn } from "../_chat/turns.ts";
import { makeTextBlock } from "./conversation.ts";
import type { Traits } from "./models.ts";

/** Returns the turns with all of it behind the newest one of the user's. `removed` is empty for models without `lateTools`. */
export function sayAtEnd(
  turns: readonly Turn<JsonObject>[],
  words: readonly string[],
  removed: readonly string[],
  { lateSystem }: Traits,
): readonly Turn<JsonObject>[] {
  const said = joinSaid(words);
  const texts: readonly JsonObject[] =
    said === "" ? [] : [makeTextBlock(lateSystem ? said : writeNote(said))];
  const removals = removed.map((name) => ({ type: "tool_removal", tool: { type: "tool_reference", name } }));
  return sayInTurns(turns, [...texts, ...removals], lateSystem ? "system" : "user");
}
