// The tools of a server's mirror by the names that clients know them by.
import { matchesPatterns } from "../core/fields/tool-list.ts";
import type { AllowedTools } from "../core/limits/member-limits.ts";
import { isToolAllowed } from "../core/tools/patterns.ts";
import { makeFullName } from "../core/tools/rules.ts";
import type { ToolServer } from "../core/tools/tool-server.ts";
import type { Mirror, MirroredTool } from "./mirror.ts";
import { fitName, makeToolName } from "./names.ts";

/** A tool with the names that it has at both addresses, and the one that patterns know. */
interface MirroredToolNames {
  readonly tool: MirroredTool;
  readonly atAll: string;
  readonly atServer: string;
  readonly full: string;
}

class NamedTools {
  readonly tools: readonly MirroredToolNames[];
  readonly #atAll: ReadonlyMap<string, readonly MirroredToolNames[]>;
  readonly #atServer: ReadonlyMap<string, readonly MirroredToolNames[]>;

  constructor(tools: readonly MirroredToolNames[]) {
    this.tools = tools;
    this.#atAll = Map.groupBy(tools, ({ atAll }) => atAll);
    this.#atServer = Map.groupBy(tools, ({ atServer }) => atServer);
  }

  /** Returns the tools of a name in the server's order: names that had to be fitted may be the same. */
  find(name: string, isAll: boolean): readonly MirroredToolNames[] {
    return (isAll ? this.#atAll : this.#atServer).get(name) ?? [];
  }
}

/** Names are made once for a server's mirror, and not for each set of rights. */
const named = new WeakMap<Mirror, NamedTools>();

export function nameTools(mirror: Mirror, server: string): NamedTools {
  const known = named.get(mirror);
  if (known !== undefined) return known;
  const tools = [...mirror.tools.values()].map((tool) => ({
    tool,
    atAll: makeToolName(server, tool.name),
    atServer: fitName(tool.name),
    full: makeFullName(server, tool.name),
  }));
  const made = new NamedTools(tools);
  named.set(mirror, made);
  return made;
}

/** Returns the tool that a list for the same rights shows under the name, or null. No list is made for it. */
export function findNamedTool(
  mirror: Mirror,
  server: ToolServer,
  levels: readonly AllowedTools[],
  name: string,
  isAll: boolean,
): MirroredTool | null {
  for (const { tool, full } of nameTools(mirror, server.name).find(name, isAll))
    if (matchesPatterns(server.tools, tool.name) && isToolAllowed(levels, full)) return tool;
  return null;
}
