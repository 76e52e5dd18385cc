// One case of the campaign: the client's bytes and the provider's answer.
import { Dice } from "../sim/dice.ts";

/** A part of a provider's answer, played in order. */
export type Step =
  | { readonly does: "send"; readonly bytes: Buffer }
  /** Sends the same bytes repeatedly, as fast as they are read, up to `bytesMax`. */
  | { readonly does: "flood"; readonly bytes: Buffer; readonly bytesMax: number }
  | { readonly does: "wait"; readonly ms: number }
  | { readonly does: "close" | "reset" | "hold" };

export type Kind = "raw" | "body" | "answer" | "shape" | "upload";
export const KINDS: readonly Kind[] = ["raw", "body", "answer", "shape", "upload"];

export interface Case {
  readonly number: number;
  readonly kind: Kind;
  /** The API whose form an error must have. */
  readonly form: "openai" | "google";
  /** A description for people. */
  readonly says: string;
  /** Sent in order, each as a separate write. */
  readonly pieces: readonly Buffer[];
  /** Closes the connection this long after the last piece. Null to wait for the answer. */
  readonly leavesAfterMs: number | null;
  /** The provider's answer. Null for the normal one. */
  readonly answer: readonly Step[] | null;
  /** The most choices that an answer may have. */
  readonly choicesMax: number;
  /** True if the request sets its own time limit, so that a 504 is expected. */
  readonly isHurried: boolean;
}

/** The default of `limits.n`. */
export const CHOICES_MAX = 16;

/** One case's random numbers, independent of earlier cases. */
export function rollDice(seed: number, number: number): Dice {
  return new Dice((Math.imul(seed, 0x01000193) ^ Math.imul(number + 1, 0x9e3779b1)) >>> 0);
}

/** Names the case in the prompt, from which the provider finds its answer. */
export function makeMark(number: number): string {
  return `case-${number}.`;
}

export const MARK = /case-(\d+)\./;
