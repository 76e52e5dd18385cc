// Live nodes of programs whose support a migration would end.
import { describeOlder, filterOlder, type LiveNode, nameNode } from "../../core/live-nodes.ts";
import type { SchemaVersions } from "./versions.ts";

/** A migration would end the support for programs whose nodes run. */
export class OlderNodesError extends Error {
  constructor(nodes: readonly LiveNode[]) {
    super(
      `${describeOlder(nodes.map(nameNode))}, and this version's schema ends the support for them. Stop them first, or run \`poundkey migrate --stop-older\`: they refuse requests from then on`,
    );
  }
}

/** Returns the live nodes whose support the migration to this program's schema would end. */
export function findEnded({
  stored,
  supportedFrom,
  oldestSupported,
  live,
}: SchemaVersions): readonly LiveNode[] {
  return stored > 0 && supportedFrom > oldestSupported ? filterOlder(live, supportedFrom) : [];
}
