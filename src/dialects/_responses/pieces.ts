// The texts of an output item and how much of each was sent to the client, so that nothing is sent twice or left out.
import type { PieceKind } from "./events.ts";

/** One text of an item: a part of a message or of thinking, or a call's arguments. */
export interface Piece {
  readonly kind: PieceKind;
  /** The stream's number for it. */
  readonly part: number;
  /** Characters that went out already: a `.done` adds only what is missing. */
  sent: number;
  /** Citations that went out already. */
  cited: number;
  /** The beginning of the piece in the content: citations count from there. */
  offset: number;
  /** The `index` of its reasoning detail. */
  detail: number;
}

export interface Item {
  id: string | undefined;
  /** undefined: only a text of it came so far. */
  type: string | undefined;
  /** null: not a call, or none of the client's. */
  call: { readonly index: number; readonly custom: boolean } | null;
  readonly pieces: Piece[];
  /** All of it went out. */
  whole: boolean;
}

export function makeItem(): Item {
  return { id: undefined, type: undefined, call: null, pieces: [], whole: false };
}

/** Returns the text with its number in the stream, and records a new one. */
export function findPiece(item: Item, kind: PieceKind, part: number): Piece {
  const known = item.pieces.find((piece) => piece.part === part && piece.kind === kind);
  if (known) return known;
  const piece: Piece = { kind, part, sent: 0, cited: 0, offset: 0, detail: 0 };
  item.pieces.push(piece);
  return piece;
}

/** The nth text of a kind in a whole item. Its number in the stream may be another (Bedrock's mantle counts from 1). */
export function findNthPiece(item: Item, kind: PieceKind, nth: number): Piece {
  return item.pieces.filter((piece) => piece.kind === kind)[nth] ?? findPiece(item, kind, -1 - nth);
}
