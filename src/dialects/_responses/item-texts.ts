// The texts of an output item with the amount of each already sent, so that nothing is sent twice or left out.
import type { ItemTextKind } from "./events.ts";
import type { Behind } from "./turn-order.ts";

/** One text of an item: part of a message or of thinking, or a call's arguments. */
export interface ItemText {
  readonly kind: ItemTextKind;
  /** Characters already sent: the complete item adds only what is missing. */
  sent: number;
  /** Citations already sent. */
  cited: number;
  /** The position of the text in the content, from which its citations count. */
  offset: number;
  /** The `index` of its reasoning detail. */
  detail: number;
}

/** The texts of one kind, so that each is found at once: an answer may have tens of thousands. */
interface TextsOfKind {
  /** By their numbers in the stream. */
  readonly byPart: Map<number, ItemText>;
  /** In the order in which they began. */
  readonly inOrder: ItemText[];
}

export interface Item {
  id: string | undefined;
  /** Undefined if only text of the item arrived so far. */
  type: string | undefined;
  /** The phase of a message, which newer models name. */
  phase: string | undefined;
  /** The characters of its text that were sent, with those of the gap before it. */
  size: number;
  /** Null if it is not a call of one of the client's tools. */
  call: { readonly index: number; readonly custom: boolean } | null;
  readonly texts: Map<ItemTextKind, TextsOfKind>;
  /** True once all of it is sent. */
  whole: boolean;
  /** The text and calls before it in the answer. */
  readonly behind: Behind | null;
}

export function makeItem(behind: Behind | null): Item {
  return {
    id: undefined,
    type: undefined,
    phase: undefined,
    size: 0,
    call: null,
    texts: new Map(),
    whole: false,
    behind,
  };
}

/** Returns the text with this number in the stream, and records a new one. */
export function findItemText(item: Item, kind: ItemTextKind, part: number): ItemText {
  const { byPart, inOrder } = findTexts(item, kind);
  const known = byPart.get(part);
  if (known) return known;
  const text: ItemText = { kind, sent: 0, cited: 0, offset: 0, detail: 0 };
  byPart.set(part, text);
  inOrder.push(text);
  return text;
}

/** Returns the nth text of a kind in a complete item. Its stream number may differ (Bedrock's mantle counts from 1). */
export function findNthText(item: Item, kind: ItemTextKind, nth: number): ItemText {
  return findTexts(item, kind).inOrder[nth] ?? findItemText(item, kind, -1 - nth);
}

function findTexts({ texts }: Item, kind: ItemTextKind): TextsOfKind {
  const known = texts.get(kind);
  if (known) return known;
  const made: TextsOfKind = { byPart: new Map(), inOrder: [] };
  texts.set(kind, made);
  return made;
}
