// Keyed digests by which a prompt is known, each over every byte of one of its beginnings.

import type { ModelCard } from "./card.ts";

/** A hash under a key that clients don't know, so that nobody can make two texts that count as the same. */
export interface Hasher {
  update(text: string): unknown;
  /** Returns another one that has read the same so far. */
  copy(): Hasher;
  digest(encoding: "base64"): string;
}

export interface PromptDigests {
  /** The digest of the whole prompt. */
  readonly whole: string;
  /** The digests of the beginnings that an earlier request may have been, the longest first. The whole is one. */
  readonly beginnings: readonly string[];
  /** The estimated tokens of the whole prompt. */
  readonly tokens: number;
  /**
   * Returns the prompt's tokens at worst, of what the next turn repeats, without the context's bound: the difference of two
   * turns is the worst of what the later one adds.
   */
  readonly measureWorst: (card: ModelCard) => number;
  /** The instructions and tools, which other conversations may begin with, and their estimated tokens. Null without them. */
  readonly shared: { readonly digest: string; readonly tokens: number } | null;
}
