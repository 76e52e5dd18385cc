// The ports of the operator's use-cases.
import type { Store } from "../core/store.ts";
import type { Clock, Random } from "../core/world.ts";

export interface AdminWorld {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
  readonly random: Random;
  /** The key for digests of secrets: `derivePepper` of the master key. */
  readonly pepper: Uint8Array;
}
