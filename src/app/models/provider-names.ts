// The names of all providers that a request may have gone to, for filters of the log.
import { PROVIDERS } from "../../providers/index.ts";
import { SIMULATED } from "../start/simulated.ts";

/** Returns the names of the configured providers, and of all known ones, on or off. */
export function listProviderNames(configured: readonly { readonly name: string }[]): readonly string[] {
  return [...new Set([...configured, ...PROVIDERS].map(({ name }) => name)), SIMULATED];
}
