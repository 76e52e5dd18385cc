// Thinking in blocks with a signature: the details that clients get, the blocks made of those they send back, and what of these
// doesn't reach the model.
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import { SEALED_FORMATS } from "../../core/models/thinking/readers.ts";
import {
  REMOVALS_MAX,
  type RemovalReason,
  type RemovedReasoning,
} from "../../core/models/thinking/removed-reasoning.ts";
import type { AssistantMessage, ChatRequest, ReasoningDetail } from "../../operations/chat/form.ts";

/** Replaces missing thinking of another model, for servers that require some. */
export const BLANK_THOUGHT = " ";

/** Makes the detail for a piece of thinking. `index` is its block's place in the message. */
export function makeThinkingDetail(
  format: string,
  index: number,
  text: string,
  signature: string,
): ReasoningDetail {
  return {
    type: "reasoning.text",
    ...(text === "" ? {} : { text }),
    ...(signature === "" ? {} : { signature }),
    format,
    index,
  };
}

/** Makes the detail for a block that the provider encrypted. */
export function makeRedactedDetail(format: string, index: number, data: string): ReasoningDetail {
  return { type: "reasoning.encrypted", data, format, index };
}

/** A block of thinking that a client sent back: signed, or if `data` is not empty, encrypted. */
export interface SignedThinking {
  /** Its place among the blocks of its message. */
  readonly place: number;
  readonly text: string;
  readonly signature: string;
  readonly data: string;
}

/**
 * Lists the blocks of an assistant message's thinking, unchanged and in the order of their places. Blocks of other
 * formats are left out, and those without a signature too: the API refuses them. Fragments of one block that a client
 * kept separate are joined.
 */
export function listThinking(details: readonly ReasoningDetail[], format: string): readonly SignedThinking[] {
  const found: SignedThinking[] = [];
  for (const [order, detail] of details.entries()) {
    if (detail.format !== format) continue;
    const place = detail.index ?? order;
    // Clients may set fields of these to null.
    const text = detail.text ?? "";
    const signature = detail.signature ?? "";
    const data = detail.data ?? "";
    const last = found.at(-1);
    const isOpen = last?.place === place && last.signature + last.data + data === "";
    const before = isOpen ? found.pop() : undefined;
    found.push({ place, text: (before?.text ?? "") + text, signature, data });
  }
  return found
    .filter(({ signature, data }) => signature + data !== "")
    .toSorted((one, other) => one.place - other.place);
}

/** Counts a provider's list by reason. `read` returns null for an entry that left nothing out. Undefined if nothing was. */
export function countRemoved(
  list: unknown,
  read: (entry: JsonObject) => RemovalReason | null,
): readonly RemovedReasoning[] | undefined {
  const counts = new Map<RemovalReason, number>();
  for (const entry of asArray(list).slice(0, REMOVALS_MAX)) {
    const reason = read(asObject(entry));
    if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts.size === 0 ? undefined : [...counts].map(([reason, count]) => ({ reason, count }));
}

/**
 * Returns the number of answers in the history with thinking of another family than `own`. Nothing if there is none. If
 * `takesText` is true, only those count whose thinking has no text that can be sent in its place.
 */
export function countForeign(
  { messages }: Pick<ChatRequest, "messages">,
  own: string | null,
  takesText = false,
): { readonly foreignThinking?: number } {
  // A first question has no answers before it.
  if (messages.length < 3) return NOTHING;
  let count = 0;
  for (const message of messages)
    if (
      message.role === "assistant" &&
      hasForeign(message.reasoning_details, own) &&
      !(takesText && hasThoughtText(message))
    )
      count++;
  return count === 0 ? NOTHING : { foreignThinking: count };
}

const NOTHING = {};

function hasThoughtText({ reasoning_content: text, reasoning_details: details }: AssistantMessage): boolean {
  return Boolean(text) || details?.some((detail) => Boolean(detail.text || detail.summary)) === true;
}

/** A list of phases says where a text was divided. It is no thinking. */
function hasForeign(details: readonly ReasoningDetail[] | undefined, own: string | null): boolean {
  if (details === undefined) return false;
  for (const { format, phases } of details)
    if (format !== own && SEALED_FORMATS.has(format) && !Array.isArray(phases)) return true;
  return false;
}
