// The expectation of a recording in the canonical form: the answer that a correct adapter returns.

import { asCount, asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import type { FinishReason } from "../../../src/operations/chat/form.ts";

export interface ExpectedCall {
  name: string;
  /** The arguments' JSON text, or a custom tool's input. */
  input: string;
  /** Null if the upstream sent none. */
  id: string | null;
}

export interface ExpectedCitation {
  /** The part of the answer that rests on the source. Null if the recording doesn't state it. */
  readonly span: string | null;
  /** The titles, ids and passages that identify its source. */
  readonly says: readonly unknown[];
}

export class ExpectedChoice {
  readonly index: number;
  /** Pieces in order. If the wire has several items (messages, thinking blocks), any white space may separate them. */
  readonly content: string[] = [];
  readonly reasoning: string[] = [];
  /** Cohere's `tool_plan`: text before a call, which may become content or reasoning but must not be lost. */
  plan = "";
  /** Null if none was recorded. */
  refusal: string | null = null;
  readonly calls: ExpectedCall[] = [];
  /** The correct reasons. Empty if the recording states none. */
  finish: readonly FinishReason[] = [];
  /** Each must be cited. */
  readonly urls = new Set<string>();
  /** These may be cited too: found but not quoted, or not necessarily web pages. */
  readonly urlsAllowed = new Set<string>();
  readonly citations: ExpectedCitation[] = [];
  /** Signatures and opaque data of thinking, which must reach the client unchanged. */
  readonly signatures: string[] = [];

  constructor(index: number) {
    this.index = index;
  }

  /** Appends text to the last piece: fragments of one item. */
  append(field: "content" | "reasoning", text: unknown): void {
    if (typeof text === "string" && text !== "") this[field].push(`${this[field].pop() ?? ""}${text}`);
  }

  /** Starts a new piece: another item of the same kind. */
  addPiece(field: "content" | "reasoning", text: unknown): void {
    if (typeof text === "string" && text !== "") this[field].push(text);
  }

  addSignature(signature: unknown): void {
    const text = asString(signature);
    if (text) this.signatures.push(text);
  }
}

export class ExpectedUsage {
  readonly prompt: number = 0;
  readonly completion: number = 0;
  readonly cached: number = 0;
  readonly cacheWrite: number = 0;
  readonly reasoning: number = 0;
  readonly searches: number = 0;
  /** Another correct reading of the same numbers. */
  readonly or?: ExpectedUsage;

  /** A count that is missing is 0. */
  constructor(counts: Partial<ExpectedUsage>) {
    Object.assign(this, counts);
  }
}

export interface ExpectedAnswer {
  readonly choices: readonly ExpectedChoice[];
  /** Null if the recording reports none. */
  readonly usage: ExpectedUsage | null;
  /** True if a Fault instead of the answer is also correct. */
  readonly mayFail?: boolean;
}

/** The answer, or why there must be a Fault. */
export type Expectation = ExpectedAnswer | { readonly fails: string };

/** The choices of one answer while they are assembled. */
export class ChoiceTable {
  readonly #choices = new Map<number, ExpectedChoice>();

  at(index: number): ExpectedChoice {
    const known = this.#choices.get(index);
    if (known) return known;
    const choice = new ExpectedChoice(index);
    this.#choices.set(index, choice);
    return choice;
  }

  /** Returns the choices by index, each with a finish reason that matches its calls. */
  all(): ExpectedChoice[] {
    const choices = [...this.#choices.values()].sort((a, b) => a.index - b.index);
    for (const choice of choices) choice.finish = choice.finish.map((reason) => fitting(reason, choice));
    return choices;
  }
}

/** With tool calls the finish must be `tool_calls`, without any it can't be (the clients' rule). Other reasons stay. */
function fitting(reason: FinishReason, choice: ExpectedChoice): FinishReason {
  if (reason !== "stop" && reason !== "tool_calls") return reason;
  return choice.calls.length > 0 ? "tool_calls" : "stop";
}

/** The number at `a.b`, or 0. */
export function countAt(object: JsonObject, outer: string, inner: string): number {
  return asCount(asObject(object[outer])[inner]);
}
