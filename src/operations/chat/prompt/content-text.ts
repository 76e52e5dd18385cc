// A message's content as one text, or as parts.
import type { Content, ContentPart } from "../form.ts";

/** Separates the blocks of a system prompt for an API that takes one text. */
export const SYSTEM_GAP = "\n\n";
/** Separates the blocks of a tool's result for an API that takes one text: tools return them as separate answers. */
export const RESULT_GAP = "\n";

/** Returns the text of a content: texts and refusals joined, other parts ignored. Most APIs take both as text. */
export function joinText(content: Content | null | undefined, gap = ""): string {
  if (typeof content === "string") return content;
  return (content ?? [])
    .map((part) => (part.type === "text" ? part.text : part.type === "refusal" ? part.refusal : ""))
    .filter((text) => text !== "")
    .join(gap);
}

/** Returns the content as parts. A string becomes one text part. */
export function listParts(content: Content | null | undefined): readonly ContentPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content ?? [];
}
