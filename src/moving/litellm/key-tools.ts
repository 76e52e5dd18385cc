// The tools that LiteLLM's keys may call: by the permissions of the key and of its team.
import { TOOL_PATTERNS_MAX } from "../../core/fields/tool-list.ts";
import { asArray, asObject } from "../../core/json/json.ts";
import { TOOL_PATTERN } from "../../core/tools/rights.ts";
import { type ForeignRow, isEmptyCell, readList, readObject, readText } from "../columns.ts";
import type { ImportNotes } from "./notes.ts";
import type { ToolServerNames } from "./tool-servers.ts";

interface KeyToolParts {
  readonly names: ToolServerNames;
  /** Null if they aren't given. */
  readonly permissions: readonly ForeignRow[] | null;
  readonly notes: ImportNotes;
}

interface KeyRows {
  readonly row: ForeignRow;
  readonly team: ForeignRow | null;
  /** Those of others that bind the key, such as its user. */
  readonly others: readonly ForeignRow[];
}

/** By the name of a server here, the tools of it, or null for all. */
type Grants = ReadonlyMap<string, readonly string[] | null>;

/** Returns the list of a key, which is empty without any permission: a key of LiteLLM's has no tools to begin with. */
export function readKeyTools({ row, team, others }: KeyRows, parts: KeyToolParts): readonly string[] {
  const own = readGranted(row, parts);
  const ofTeam = team && readGranted(team, parts);
  const first: Grants = own ?? ofTeam ?? new Map();
  const bounds = [ofTeam, ...others.map((one) => readGranted(one, parts))];
  const granted = bounds.reduce(
    (common: Grants, bound) => (bound ? intersect(common, bound) : common),
    first,
  );
  const rows = [row, ...(team ? [team] : []), ...others];
  const blocked = rows.flatMap((one) => readBlocked(one, parts));
  const whole = parts.names.forAll.filter((name) => !granted.has(name));
  const patterns = [...granted, ...whole.map((name) => [name, null] as const)].flatMap(([server, tools]) =>
    tools === null ? [`${server}_*`] : tools.map((tool) => `${server}_${tool}`),
  );
  return boundList([...new Set(patterns)], [...new Set(blocked)], parts.notes);
}

/** Returns the list of an account: all that its keys may call, so that each of them is bound by its own list alone. */
export function joinTools(lists: readonly (readonly string[])[]): readonly string[] {
  const given = [...new Set(lists.flat().filter((pattern) => !pattern.startsWith("!")))];
  if (given.length <= TOOL_PATTERNS_MAX) return given;
  return [...new Set(given.map((pattern) => `${pattern.slice(0, pattern.indexOf("_"))}_*`))];
}

/** Tools that can't be named here are left out, and what can't be taken away leaves nothing. */
function boundList(
  given: readonly string[],
  blocked: readonly string[],
  notes: ImportNotes,
): readonly string[] {
  const fitting = given.filter((pattern) => TOOL_PATTERN.test(pattern));
  if (blocked.length >= TOOL_PATTERNS_MAX || blocked.some((pattern) => !TOOL_PATTERN.test(pattern))) {
    notes.narrow("blocked_tools", "they can't all be named here, so that it may call no tool");
    return [];
  }
  const room = TOOL_PATTERNS_MAX - blocked.length;
  if (fitting.length > room || fitting.length < given.length)
    notes.narrow(
      "mcp_tool_permissions",
      `allowed_tools has ${Math.min(room, fitting.length)} of ${given.length}`,
    );
  const kept = fitting.slice(0, room);
  return kept.length === 0 ? [] : [...kept, ...blocked];
}

function findPermission(row: ForeignRow, { permissions }: KeyToolParts): ForeignRow | undefined {
  const id = readText(row, "object_permission_id");
  return id === null ? undefined : permissions?.find((one) => readText(one, "object_permission_id") === id);
}

/** Null where nothing is said. */
function readGranted(row: ForeignRow, parts: KeyToolParts): Grants | null {
  const permission = findPermission(row, parts);
  if (permission === undefined) return null;
  const { names, notes } = parts;
  const limited = readObject(permission, "mcp_tool_permissions");
  const referred = [...readList(permission, "mcp_servers"), ...Object.keys(limited)];
  const groups = readList(permission, "mcp_access_groups");
  if (referred.length + groups.length === 0) return null;
  const unknown = referred.filter((one) => names.find(one) === undefined);
  const isEmpty = groups.filter((group) => names.listGroup(group).length === 0);
  if (unknown.length + isEmpty.length > 0)
    notes.narrow("object_permission_id", `no such server was taken: ${[...unknown, ...isEmpty].join(", ")}`);
  const granted = new Map<string, readonly string[] | null>();
  const found = [
    ...referred.map((one) => names.find(one)),
    ...groups.flatMap((group) => names.listGroup(group)),
  ];
  for (const name of found) if (name !== undefined) granted.set(name, null);
  for (const [server, tools] of Object.entries(asObject(limited))) {
    const name = names.find(server);
    if (name !== undefined) granted.set(name, asArray(tools).map(String).filter(isPlainName));
  }
  return granted;
}

/** A star in a name would stand for others. */
function isPlainName(tool: string): boolean {
  return !tool.includes("*");
}

/** Tools that are taken away, whichever server has them. */
function readBlocked(row: ForeignRow, parts: KeyToolParts): readonly string[] {
  const permission = findPermission(row, parts);
  if (permission === undefined || isEmptyCell(permission.blocked_tools)) return [];
  return readList(permission, "blocked_tools").map((tool) => `!*${tool}`);
}

function intersect(one: Grants, other: Grants): Grants {
  const common = new Map<string, readonly string[] | null>();
  for (const [name, tools] of one) {
    const others = other.get(name);
    if (others === undefined) continue;
    common.set(
      name,
      tools === null || others === null ? (tools ?? others) : tools.filter((tool) => others.includes(tool)),
    );
  }
  return common;
}
