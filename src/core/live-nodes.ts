// The nodes that run on a store, and the refusal of what those of older programs wouldn't keep.
import { Fault } from "./faults/fault.ts";

/** A live node, and the program that it runs. */
export interface LiveNode {
  readonly id: string;
  /** The version of the schema that its program knows. Null for 1.2 and older on SQLite, which don't say. */
  readonly schema: number | null;
}

/** Returns the nodes whose programs know less than this version of the schema. */
export function filterOlder(nodes: readonly LiveNode[], version: number): readonly LiveNode[] {
  return nodes.filter(({ schema }) => (schema ?? 0) < version);
}

/** Names a node with its program, for people. */
export function nameNode({ id, schema }: LiveNode): string {
  return `${id} (${schema === null ? "1.2 or older" : `schema ${schema}`})`;
}

/** Says how many nodes of older programs run, and which. */
export function describeOlder(names: readonly string[]): string {
  const run =
    names.length === 1 ? "1 node of an older program runs" : `${names.length} nodes of older programs run`;
  return `${run} (${names.join(", ")})`;
}

/** The first line of a plan that would stop nodes of these names. */
export function describeStops(names: readonly string[]): string {
  return `! ${describeOlder(names)}, and would refuse requests from then on: this needs --stop-older`;
}

/** Returns the Fault for a change that nodes of these names wouldn't keep. */
export function refuseOlder(names: readonly string[]): Fault {
  const message = `${describeOlder(names)}, and wouldn't keep what this sets. Replace them first. An operator or admin may stop them instead, with '?stop_older=true' or --stop-older: it is done, and they refuse requests from then on.`;
  return new Fault("older_nodes", message);
}
