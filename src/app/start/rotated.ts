// The credentials that a reload has changed, for the log.
import type { ProviderSetup } from "../../core/settings.ts";
import type { LogEvent } from "../../core/world/world.ts";
import { SHOWN_CHARACTERS_MIN } from "../../health/credential.ts";

/** Returns a line for each provider whose credentials differ. It names them by their last four characters. */
export function describeRotated(
  before: readonly ProviderSetup[],
  after: readonly ProviderSetup[],
): readonly LogEvent[] {
  const known = new Map(before.map((provider) => [provider.name, provider]));
  return after.flatMap((provider) => {
    const former = known.get(provider.name);
    if (former === undefined) return [];
    const removed = findAdded(provider, former);
    const added = findAdded(former, provider);
    if (removed.length === 0 && added.length === 0) return [];
    return [{ event: "credentials_changed", level: "info", provider: provider.name, removed, added }];
  });
}

/** Returns the last four characters of those that only the second one has, or null where a secret is too short. */
function findAdded(from: ProviderSetup, to: ProviderSetup): readonly (string | null)[] {
  const others = new Set(from.credentials.map(({ secret }) => secret));
  return to.credentials.flatMap(({ secret }) => {
    if (secret === null || others.has(secret)) return [];
    return [secret.length >= SHOWN_CHARACTERS_MIN ? secret.slice(-4) : null];
  });
}
