// The policy of an alias as a request meets it.
import type { SelectorPolicy } from "../core/models/alias.ts";
import type { CacheSetting } from "../core/models/caching.ts";
import type { Selector } from "../core/models/selector.ts";
import { type Steering, UNSTEERED } from "../core/models/steering.ts";

export interface ResolvedPolicy {
  readonly selector: Selector;
  /** The alias's demands on the choice. */
  readonly steering: Steering;
  readonly cache?: CacheSetting;
}

export function readPolicy({ selector, cache, allow, ...policy }: SelectorPolicy): ResolvedPolicy {
  const steering = { ...UNSTEERED, ...policy, allow: allow === undefined ? [] : [allow] };
  return { selector, steering, ...(cache ? { cache } : {}) };
}
