// The ports of the operator's use-cases.
import type { Changes } from "../core/changes.ts";
import type { AliasNames } from "../core/models/alias-entry.ts";
import type { Act } from "../core/people/people.ts";
import type { Store } from "../core/store.ts";
import type { Clock, Random } from "../core/world/world.ts";

export interface AdminWorld {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
  readonly random: Random;
  /** The key for digests of secrets: one of its data keys. */
  readonly pepper: Uint8Array;
  /** The aliases that lists of models may name. Missing if nothing is changed that has such a list. */
  readonly aliasNames?: AliasNames;
}

/** The ports of use-cases that change something. */
export interface ActingWorld extends AdminWorld {
  readonly act: Act;
  /** Each is put on record as the sender's. */
  readonly changes: Changes;
}
