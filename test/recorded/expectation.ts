// The expectation of a recording in the canonical form: the answer that a right adapter returns for it.

import { asCount, asObject, asString, type JsonObject } from "../../src/core/json.ts";
import type { FinishReason } from "../../src/operations/chat/form.ts";

export interface ExpectedCall {
  name: string;
  /** The arguments' JSON text, or a custom tool's input. */
  input: string;
  /** null: the upstream gave none. */
  id: string | null;
}

export interface ExpectedCitation {
  /** The part of the answer that rests on the source; null: the recording doesn't say. */
  readonly span: string | null;
  /** The titles, ids and passages by which it names its source. */
  readonly says: readonly unknown[];
}

export interface ExpectedChoice {
  readonly index: number;
  /** Pieces in order. Where the wire has several items (messages, thinking blocks), white space between them is free. */
  readonly content: string[];
  readonly reasoning: string[];
  /** Cohere's `tool_plan`: text before a call, free to be content or reasoning, but not to be lost. */
  plan: string;
  /** null: none was recorded. */
  refusal: string | null;
  readonly calls: ExpectedCall[];
  /** The reasons that are right; empty when the recording names none. */
  finish: readonly FinishReason[];
  /** Each must be cited. */
  readonly urls: Set<string>;
  /** These may be cited too: found but not quoted, or of a kind that need not be a web page. */
  readonly urlsAllowed: Set<string>;
  readonly citations: ExpectedCitation[];
  /** Signatures and opaque data of thinking, which must reach the client unchanged. */
  readonly signatures: string[];
}

export interface ExpectedUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  readonly searches: number;
  /** Another reading of the same numbers that is right too. */
  readonly or?: ExpectedUsage;
}

export interface ExpectedAnswer {
  readonly choices: readonly ExpectedChoice[];
  /** null: the recording reports none. */
  readonly usage: ExpectedUsage | null;
  /** A Fault instead of the answer is right too. */
  readonly mayFail?: boolean;
}

/** The answer, or why there must be a Fault. */
export type Expectation = ExpectedAnswer | { readonly fails: string };

/** The choices of one answer while they are put together. */
export class ChoiceTable {
  readonly #choices = new Map<number, ExpectedChoice>();

  at(index: number): ExpectedChoice {
    const known = this.#choices.get(index);
    if (known) return known;
    const choice: ExpectedChoice = {
      index,
      content: [],
      reasoning: [],
      plan: "",
      refusal: null,
      calls: [],
      finish: [],
      urls: new Set(),
      urlsAllowed: new Set(),
      citations: [],
      signatures: [],
    };
    this.#choices.set(index, choice);
    return choice;
  }

  /** In order of their index, each with a finish that fits its calls. */
  all(): ExpectedChoice[] {
    const choices = [...this.#choices.values()].sort((a, b) => a.index - b.index);
    for (const choice of choices) choice.finish = choice.finish.map((reason) => fitting(reason, choice));
    return choices;
  }
}

/** Tool calls present means `tool_calls`, none means it can't be (the clients' rule); other reasons stay. */
function fitting(reason: FinishReason, choice: ExpectedChoice): FinishReason {
  if (reason !== "stop" && reason !== "tool_calls") return reason;
  return choice.calls.length > 0 ? "tool_calls" : "stop";
}

/** Adds text to the last piece: fragments of one item. */
export function append(pieces: string[], text: unknown): void {
  if (typeof text !== "string" || text === "") return;
  pieces.push(`${pieces.pop() ?? ""}${text}`);
}

/** Begins a new piece: another item of the same kind. */
export function addPiece(pieces: string[], text: unknown): void {
  if (typeof text === "string" && text !== "") pieces.push(text);
}

export function addSignature(choice: ExpectedChoice, signature: unknown): void {
  const text = asString(signature);
  if (text) choice.signatures.push(text);
}

export function usageFrom(counts: Partial<ExpectedUsage>): ExpectedUsage {
  return { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, searches: 0, ...counts };
}

/** The number at `a.b`, or 0. */
export function countAt(object: JsonObject, outer: string, inner: string): number {
  return asCount(asObject(object[outer])[inner]);
}
