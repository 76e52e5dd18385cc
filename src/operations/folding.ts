// Collects streams as replies, for the cache to keep and repeat.
import type { JsonObject } from "../core/json/json.ts";
import type { Form } from "./form.ts";

/** Longer answers aren't stored. */
export interface KeptBounds {
  readonly bytesMax: number;
  /** The most that is collected of a stream, as its folding counts. */
  readonly collectedMax: number;
}

/** Collects a stream's pieces into one reply. */
export interface Folding<F extends Pick<Form, "piece" | "reply">> {
  /** Adds pieces, and returns their approximate length as JSON. */
  add(pieces: readonly F["piece"][]): number;
  /** Null if there was none. */
  reply(): F["reply"] | null;
}

/** Keeps answers in the cache, and repeats them as streams. */
export interface Keeping<F extends Pick<Form, "piece" | "reply">> {
  /** Keeps streams that are shown in their provider's own form. Missing if there are none. */
  readonly native?: {
    /** Returns the pieces as JSON. */
    write(pieces: readonly F["piece"][]): readonly unknown[];
    /** Undoes `write` for a client. */
    read(kept: readonly unknown[]): readonly F["piece"][];
  };
  /** Takes a whole answer apart as a model would send it. */
  takeApart(reply: F["reply"]): readonly F["piece"][];
  /** Collects a stream of which `fold` drops what is kept. Missing if it doesn't. */
  fold?(): Folding<F>;
  /** Returns the reply as JSON, which `restore` reads. Missing if it is JSON itself. */
  pack?(reply: F["reply"]): JsonObject;
}

/** For a stream whose last piece is the usage, with the cost of this very answer. */
export function withoutUsage<Reply extends object>(reply: Reply): Reply {
  return { ...reply, usage: undefined };
}
