// The row of a provider, which holds all that is known of it: each stands in a file of its own.
import type { KnownProvider } from "../core/settings.ts";
import type { Dialect } from "../dialects/dialect.ts";

/** The fields outside of OpenAI's API that a server documents, by operation: all others are left out and named. */
export interface ExtraFields {
  readonly chat?: readonly string[];
  readonly completion?: readonly string[];
  readonly embeddings?: readonly string[];
  readonly rerank?: readonly string[];
  readonly images?: readonly string[];
  readonly speech?: readonly string[];
  readonly transcription?: readonly string[];
}

export interface ProviderRow extends KnownProvider {
  /** In order of preference. */
  readonly dialects: readonly Dialect[];
  /** Hosts besides that of its address, as in another country. An operator's own row may name any of them. */
  readonly otherHosts?: readonly string[];
  /** The look of its keys, for somebody who sends one in the place of ours. */
  readonly secrets?: RegExp;
  /** Where its rules were read, and the month: that which the page states, or that of the reading. */
  readonly source?: { readonly reference: string; readonly seen: string };
  /** For a server that has no rule of its own: the address of its reference, and the day on which it was read. */
  readonly plain?: { readonly reference: string; readonly read: string };
  /**
   * Left out although documented: what chooses another route, model, address or code, names objects of the provider's
   * account, changes the price (tiers, searches that the provider runs, resolutions), or adds a prompt that isn't held
   * for (`documents`, finer images). The operator may name those in `extra_fields`.
   */
  readonly extraFields?: ExtraFields;
}
