// The types of an operation: its request, the pieces of a streamed answer, the whole answer, and its usage.
import type { JsonObject } from "../core/json/json.ts";
import type { REFUSED_THINKING } from "../core/models/thinking/removed-reasoning.ts";
import type { AnswerTerms } from "../core/money/terms.ts";

/** The fields that the gateway reads in every request of any operation. */
export interface Ask {
  /** The model as named by the client. */
  readonly model: string;
  readonly stream?: boolean;
  readonly [REFUSED_THINKING]?: number;
}

/** A request whose other fields are passed on to servers that may support them. */
export interface OpenAsk extends Ask {
  readonly extras: Readonly<JsonObject>;
}

/** A changed request, and the client's fields that were lost. */
export interface ChangedAsk<A> {
  readonly ask: A;
  readonly dropped: readonly string[];
}

/** No fields: most requests leave as they came. */
export const NONE: readonly string[] = [];

/** Joins lists of fields. Most are empty, and spreading those takes longer than all else that is done with them. */
export function joinLists(
  first: readonly string[],
  second: readonly string[],
  third = NONE,
  fourth = NONE,
  fifth = NONE,
): readonly string[] {
  return joinTwo(joinTwo(joinTwo(joinTwo(first, second), third), fourth), fifth);
}

function joinTwo(first: readonly string[], second: readonly string[]): readonly string[] {
  if (second.length === 0) return first;
  return first.length === 0 ? second : [...first, ...second];
}

/** The types of one operation. */
export interface Form {
  readonly ask: Ask;
  /** A piece of a streamed answer. */
  readonly piece: object;
  /** A whole answer. */
  readonly reply: object;
  /** With what the answer says about its own price, which clients don't see. */
  readonly usage: { readonly terms?: AnswerTerms };
  /** Decodes a dialect's stream. Null if answers never stream. */
  readonly decoder: object | null;
}
