// The version of a store's schema, and the nodes on it, as they are read without opening it as a store: nothing is written.
import type { LiveNode } from "../../core/live-nodes.ts";

export interface SchemaVersions {
  /** The version that this program knows, and migrates older ones to. */
  readonly known: number;
  /** The version of the store. 0 if it has no schema yet. */
  readonly stored: number;
  /** The lowest version that a program has to know to use the store. */
  readonly oldestSupported: number;
  /** The lowest that it has to know once this program has migrated the store. */
  readonly supportedFrom: number;
  readonly live: readonly LiveNode[];
}
