// One case of the campaign: what a client sends, and what the provider answers it.
import { Dice } from "../sim/dice.ts";

/** A part of a provider's answer, in the order in which it happens. */
export type Step =
  | { readonly does: "send"; readonly bytes: Buffer }
  /** Sends the same bytes again and again, as fast as they are taken, up to so many. */
  | { readonly does: "flood"; readonly bytes: Buffer; readonly bytesMax: number }
  | { readonly does: "wait"; readonly ms: number }
  | { readonly does: "close" | "reset" | "hold" };

export type Kind = "raw" | "body" | "answer";
export const KINDS: readonly Kind[] = ["raw", "body", "answer"];

export interface Case {
  readonly number: number;
  readonly kind: Kind;
  /** A line for people. */
  readonly says: string;
  /** Sent one after the other, each as a separate write. */
  readonly pieces: readonly Buffer[];
  /** Closes the connection so long after the last piece; null: waits for the answer. */
  readonly leavesAfterMs: number | null;
  /** By the provider; null: the calm answer. */
  readonly answer: readonly Step[] | null;
  /** The number of choices that an answer may have. */
  readonly choicesMax: number;
  /** The request has a limit of time of its own, so that 504 is its own doing. */
  readonly isHurried: boolean;
}

/** `limits.n` as it is unless configured. */
export const CHOICES_MAX = 16;

/** The random numbers of one case, independent of the cases before it. */
export function rollDice(seed: number, number: number): Dice {
  return new Dice((Math.imul(seed, 0x01000193) ^ Math.imul(number + 1, 0x9e3779b1)) >>> 0);
}

/** Names the case in a prompt, by which the provider knows what to answer. */
export function makeMark(number: number): string {
  return `case-${number}.`;
}

export const MARK = /case-(\d+)\./;
