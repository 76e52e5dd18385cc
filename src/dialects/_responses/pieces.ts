// The texts of an output item with the amount of each already sent, so that nothing is sent twice or left out.
import type { PieceKind } from "./events.ts";

/** One text of an item: part of a message or of thinking, or a call's arguments. */
export interface Piece {
  readonly kind: PieceKind;
  /** Its number in the stream. */
  readonly part: number;
  /** Characters already sent: the complete item adds only what is missing. */
  sent: number;
  /** Citations already sent. */
  cited: number;
  /** The position of the piece in the content, from which its citations count. */
  offset: number;
  /** The `index` of its reasoning detail. */
  detail: number;
}

export interface Item {
  id: string | undefined;
  /** Undefined if only text of the item arrived so far. */
  type: string | undefined;
  /** Null if it is not a call of one of the client's tools. */
  call: { readonly index: number; readonly custom: boolean } | null;
  readonly pieces: Piece[];
  /** True once all of it is sent. */
  whole: boolean;
}

export function makeItem(): Item {
  return { id: undefined, type: undefined, call: null, pieces: [], whole: false };
}

/** Returns the text with this number in the stream, and records a new one. */
export function findPiece(item: Item, kind: PieceKind, part: number): Piece {
  const known = item.pieces.find((piece) => piece.part === part && piece.kind === kind);
  if (known) return known;
  const piece: Piece = { kind, part, sent: 0, cited: 0, offset: 0, detail: 0 };
  item.pieces.push(piece);
  return piece;
}

/** Returns the nth text of a kind in a complete item. Its stream number may differ (Bedrock's mantle counts from 1). */
export function findNthPiece(item: Item, kind: PieceKind, nth: number): Piece {
  return item.pieces.filter((piece) => piece.kind === kind)[nth] ?? findPiece(item, kind, -1 - nth);
}
