// Texts that are longer than a provider accepts, replaced by short ones that are always the same.
import { createHash } from "node:crypto";

/** As many hexadecimal digits keep the names of a request apart, of which there are thousands at most. */
const MARK_CHARACTERS = 16;

/** Returns a digest of 64 characters. */
export function digestText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns a name of at most this many characters of `[A-Za-z0-9_-]`: the text's beginning, and a mark of the rest. */
export function shorten(text: string, charactersMax: number): string {
  const start = text.slice(0, charactersMax - MARK_CHARACTERS - 1).replace(/[^A-Za-z0-9_-]/g, "_");
  return `${start}_${digestText(text).slice(0, MARK_CHARACTERS)}`;
}
