// The texts of a kept interaction. Nothing of it is sent to a provider, so no text of it is sealed.
import type { JsonObject } from "../../core/json/json.ts";
import { asArray } from "../../core/json/json.ts";
import type { KeptTexts } from "../../core/log/kept.ts";
import type { IsDropped } from "../../core/text/texts.ts";
import type { TextGrammar } from "../../operations/text-grammar.ts";
import { mapBody } from "../../operations/text-walk.ts";
import { GRAMMAR, type Kind } from "./known.ts";

const TEXTS: TextGrammar<Kind> = {
  ...GRAMMAR,
  words: new Set([
    "type",
    "id",
    "call_id",
    "signature",
    "mime_type",
    "uri",
    "data",
    "resolution",
    "language",
    "status",
    "search_type",
    "start_index",
    "end_index",
  ]),
};

export const INTERACTION_TEXTS: KeptTexts = {
  mapRequest: (kept, change) => mapBody(TEXTS, "body", kept, change),
  dropThoughts: (kept, isDropped) => {
    const places = findThoughts(kept, isDropped);
    if (places.size === 0) return kept;
    const dropFrom = (field: "earlier" | "input") =>
      Array.isArray(kept[field])
        ? { [field]: asArray(kept[field]).filter((_step, at) => !places.has(`${field}[${at}]`)) }
        : {};
    return { ...kept, ...dropFrom("earlier"), ...dropFrom("input") };
  },
};

/** Returns the places of the thoughts to drop, such as `input[2]`. */
function findThoughts(kept: JsonObject, isDropped: IsDropped): ReadonlySet<string> {
  const places = new Set<string>();
  mapBody(TEXTS, "body", kept, (text, { kind, path }) => {
    const [place] = (kind === "thinking" && isDropped(text) && /^(earlier|input)\[\d+\]/.exec(path)) || [];
    if (place !== undefined) places.add(place);
    return text;
  });
  return places;
}
