// One credential of a provider: whether the provider takes it, and what is under way with it.
import type { ModelCard } from "../core/card.ts";
import type { Credential } from "../core/settings.ts";
import type { Lane } from "./lane.ts";

const FORBIDDEN = 403;
/** Of a shorter secret, four characters would tell too much. */
const SHOWN_CHARACTERS_MIN = 12;

export class Key {
  readonly last4: string | null;
  inFlight = 0;
  /** When the provider refused it as such, and why; null: it hasn't. */
  retired: { readonly atMs: number; readonly reason: string } | null = null;
  /** The models that refused it: it serves others. */
  readonly #refusedBy = new WeakSet<Lane>();
  /** The model that it served last. */
  #served: string | null = null;

  constructor({ secret }: Credential) {
    this.last4 = secret !== null && secret.length >= SHOWN_CHARACTERS_MIN ? secret.slice(-4) : null;
  }

  /** Whether it is known to be refused, for this model or for all. */
  isRefused(lane: Lane | undefined): boolean {
    return this.retired !== null || (lane !== undefined && this.#refusedBy.has(lane));
  }

  /** The provider took it. True when it had been retired. */
  works(card: ModelCard, lane: Lane): boolean {
    this.#served = card.id;
    this.#refusedBy.delete(lane);
    if (this.retired === null) return false;
    this.retired = null;
    return true;
  }

  /** The provider refused it. True when that retires it: one that serves another model may only be forbidden this one. */
  refused(card: ModelCard, lane: Lane, nowMs: number, status: number | null): boolean {
    this.#refusedBy.add(lane);
    if (status === FORBIDDEN && this.#served !== null && this.#served !== card.id) return false;
    const isNew = this.retired === null;
    this.retired = { atMs: nowMs, reason: reasonOf(status) };
    return isNew;
  }
}

function reasonOf(status: number | null): string {
  if (status === 401) return "the provider says that the key is not valid (401)";
  if (status === FORBIDDEN) return "the provider says that the key is not permitted (403)";
  return `the provider says that the key's credit or quota is used up (${status ?? "no status"})`;
}
