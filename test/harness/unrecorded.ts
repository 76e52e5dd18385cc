// Changes of a store that leave no record, for tests that only need the rows.
import type { Changes } from "../../src/core/changes.ts";
import type { Store } from "../../src/core/store.ts";

/** Returns the changes that an operator causes, without their entries in the audit log. */
export function unrecorded(store: Pick<Store, "changes">): Changes {
  return store.changes(() => []);
}
