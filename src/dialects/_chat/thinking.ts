// Thinking in blocks with a signature: the details that clients get, and the blocks made of those they send back.
import type { ReasoningDetail } from "../../operations/chat/form.ts";

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
