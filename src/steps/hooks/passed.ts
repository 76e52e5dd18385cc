// Remembers which texts a hook has let pass unchanged, by a digest: the rest of a conversation isn't asked about each turn.
import { createHash } from "node:crypto";

const TEXTS_MAX = 50_000;
/** A hook's own rules may change without notice. */
const AGE_MAX_MS = 600_000;

export class PassedTexts {
  /** The time until which each digest counts, the oldest first. */
  readonly #untilMs = new Map<string, number>();

  /** `scope` says which hook passed the text, in which version, and for whom. */
  has(scope: string, text: string, nowMs: number): boolean {
    const untilMs = this.#untilMs.get(digest(scope, text));
    return untilMs !== undefined && untilMs > nowMs;
  }

  add(scope: string, text: string, nowMs: number): void {
    const name = digest(scope, text);
    this.#untilMs.delete(name);
    this.#untilMs.set(name, nowMs + AGE_MAX_MS);
    if (this.#untilMs.size <= TEXTS_MAX) return;
    const [oldest = ""] = this.#untilMs.keys();
    this.#untilMs.delete(oldest);
  }
}

function digest(scope: string, text: string): string {
  return createHash("sha256").update(scope).update("\n").update(text).digest("base64");
}
