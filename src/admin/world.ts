// The ports of the operator's use-cases.
import type { Changes } from "../core/changes.ts";
import type { Act, PeopleStore } from "../core/people.ts";
import type { Store } from "../core/store.ts";
import type { Clock, Random } from "../core/world.ts";

export interface AdminWorld {
  /** Without the changes that operators cause: those are only made on record (`ActingWorld`). */
  readonly store: Omit<Store, keyof Changes | "people"> & {
    readonly people: Omit<PeopleStore, keyof Changes>;
  };
  readonly clock: Pick<Clock, "nowMs">;
  readonly random: Random;
  /** The key for digests of secrets: `derivePepper` of the master key. */
  readonly pepper: Uint8Array;
}

/** The ports of use-cases that change something. */
export interface ActingWorld extends AdminWorld {
  readonly act: Act;
  /** Each is put on record as the sender's. */
  readonly changes: Changes;
}
