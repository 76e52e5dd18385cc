// A key of LiteLLM's as a key here, which is paused if it could do, use or spend more than there.
import { type GatewayKey, KEY_DEFAULTS } from "../../core/keys/key.ts";
import { NO_MODELS } from "../../core/text/pattern.ts";
import { listKnownDigests } from "../../keys/foreign.ts";
import {
  cutName,
  type ForeignRow,
  isEmptyCell,
  readFlag,
  readObject,
  readText,
  readTime,
} from "../columns.ts";
import { deriveId } from "../ids.ts";
import type { PlannedKey } from "../plan.ts";
import type { Report } from "../report.ts";
import { type Bound, type BoundFinder, listTags } from "./bounds.ts";
import type { ModelNames } from "./config.ts";
import {
  BUDGET_COLUMNS,
  checkAliases,
  checkColumns,
  checkMetadata,
  checkPermission,
  checkRoutes,
  KEY_COLUMNS,
} from "./key-columns.ts";
import { readKeyLimits } from "./key-limits.ts";
import { readKeyModels } from "./key-models.ts";
import { readKeyTools } from "./key-tools.ts";
import { type Limits, listLimits, listSpent } from "./limits.ts";
import { ImportNotes } from "./notes.ts";
import { readRemarks } from "./remarks.ts";
import type { ToolServerNames } from "./tool-servers.ts";

export interface KeySource {
  readonly row: ForeignRow;
  readonly team: ForeignRow | null;
  /** Limits of others that bind it. */
  readonly bounds: readonly Bound[];
  /** The reasons why some of them aren't known. */
  readonly unknown: readonly string[];
}

interface KeyReadParts {
  readonly names: ModelNames;
  readonly report: Report;
  readonly nowMs: number;
  readonly foreignUntilMs: number;
  readonly finder: BoundFinder;
  readonly sharers: ReadonlyMap<string, number>;
  readonly replaced: readonly ForeignRow[];
  readonly accessGroups: readonly ForeignRow[] | null;
  readonly permissions: readonly ForeignRow[] | null;
  /** Null if there are no tool servers. */
  readonly toolNames: ToolServerNames | null;
  readonly findReasons: (digest: string, ownTags: readonly string[]) => readonly string[];
}

export const GATEWAY = "litellm";
const KNOWN = listKnownDigests();
const DIGEST = /^[0-9a-f]{64}$/;
const LAST_CHARACTERS = 4;

/** Returns the number of keys that are bound by each, by its name. Those that are blocked count: they may be resumed. */
export function listSharers(
  sources: readonly KeySource[],
  { nowMs }: Pick<KeyReadParts, "nowMs">,
): ReadonlyMap<string, number> {
  const sharers = new Map<string, number>();
  for (const { row, bounds } of sources) {
    if (refuseKey(row, nowMs) !== null) continue;
    for (const { name } of bounds) sharers.set(name, (sharers.get(name) ?? 0) + 1);
  }
  return sharers;
}

/** Returns null for a key that isn't taken. */
export function readKey(source: KeySource, parts: KeyReadParts): PlannedKey | null {
  const { row } = source;
  const digest = readDigest(row);
  const name = nameKey(row, digest);
  const refusal = refuseKey(row, parts.nowMs);
  if (refusal !== null) {
    parts.report.leave(null, `key ${name}`, refusal);
    return null;
  }
  const notes = new ImportNotes(parts.report, `key ${name}`);
  for (const reason of source.unknown) notes.pause(reason);
  checkTimes(row, notes);
  for (const reason of parts.findReasons(digest, listTags(row, source.team))) notes.pause(reason);
  checkColumns(row, KEY_COLUMNS, notes);
  checkPermission(row, parts.permissions, notes, { hasTools: parts.toolNames !== null });
  checkMetadata(row, notes);
  checkAliases(readObject(row, "aliases"), "aliases", parts.names, notes);
  const mayCall = checkRoutes(row, notes);
  const limits = readLimits(source, notes, parts);
  const others = source.bounds.map(({ models }) => models);
  const allowed = readKeyModels(row, source.team, others, { ...parts, notes });
  const models = mayCall ? allowed : [NO_MODELS];
  const tools = readTools(source, notes, parts);
  return finishKey(source, { name, limits, models, tools, pausedFor: notes.pausedFor }, parts);
}

/** Null if there are no tool servers. */
function readTools(
  { row, team, bounds }: KeySource,
  notes: ImportNotes,
  parts: KeyReadParts,
): readonly string[] | null {
  const { toolNames: names, permissions } = parts;
  if (names === null) return null;
  const tools = readKeyTools(
    { row, team, others: bounds.map((bound) => bound.row) },
    { names, permissions, notes },
  );
  if (tools.length > 0) notes.take("object_permission_id", `allowed_tools: ${tools.join(", ")}`);
  return tools;
}

/** A time or flag that can't be read must not end as none. */
function checkTimes(row: ForeignRow, notes: ImportNotes): void {
  if (!isEmptyCell(row.expires) && readTime(row, "expires") === null) notes.pause("expires isn't a time");
  if (!isEmptyCell(row.blocked) && !readFlag(row, "blocked"))
    notes.pause("blocked is neither true nor false");
}

function readLimits({ row, bounds }: KeySource, notes: ImportNotes, parts: KeyReadParts): Limits {
  const budgetId = readText(row, "budget_id");
  const budget = budgetId === null ? undefined : parts.finder.findBudget(budgetId);
  if (typeof budget === "string") notes.pause(budget);
  else if (budget !== undefined) checkColumns(budget, BUDGET_COLUMNS, notes, " of its budget");
  return readKeyLimits(row, typeof budget === "string" ? undefined : budget, bounds, { ...parts, notes });
}

interface KeyReading {
  readonly name: string;
  readonly limits: Limits;
  readonly models: readonly string[] | null;
  readonly tools: readonly string[] | null;
  readonly pausedFor: readonly string[];
}

function finishKey(
  { row }: KeySource,
  { name, limits, models, tools, pausedFor }: KeyReading,
  { nowMs, foreignUntilMs, replaced, finder }: KeyReadParts,
): PlannedKey {
  const digest = readDigest(row);
  const teamId = readText(row, "team_id");
  const grace = findGrace(replaced, digest, nowMs);
  const isPaused = readFlag(row, "blocked") || pausedFor.length > 0;
  const key: GatewayKey = {
    ...KEY_DEFAULTS,
    ...listLimits(limits),
    ...readRemarks(row, finder.findUserRow(row)),
    id: deriveId("key", GATEWAY, digest),
    name,
    last4: (readText(row, "key_name") ?? digest).slice(-LAST_CHARACTERS),
    accountId: teamId === null ? "default" : deriveId("acct", GATEWAY, teamId),
    createdAtMs: readTime(row, "created_at") ?? nowMs,
    expiresAtMs: readTime(row, "expires"),
    allowedModels: models,
    allowedTools: tools,
    requestsPerDay: null,
    ...(isPaused ? { isPaused, pausedBy: ["admin"] } : {}),
    ...(grace === null ? {} : { rotations: 1, oldSecretUntilMs: grace.untilMs }),
  };
  const { rotations } = key;
  const foreign = [{ digest, rotation: rotations, endsAtMs: foreignUntilMs }];
  if (grace !== null && !KNOWN.has(grace.digest)) {
    const endsAtMs = Math.min(foreignUntilMs, grace.untilMs);
    foreign.push({ digest: grace.digest, rotation: rotations - 1, endsAtMs });
  }
  const isBlocked = readFlag(row, "blocked");
  return { key, spent: listSpent(limits), pausedFor, isBlocked, secret: null, foreign };
}

function readDigest(row: ForeignRow): string {
  return readText(row, "token")?.toLowerCase() ?? "";
}

function nameKey(row: ForeignRow, digest: string): string {
  const name = cutName(readText(row, "key_alias") ?? readText(row, "key_name") ?? "");
  return name === "" ? `litellm ${digest.slice(0, 8)}` : name;
}

function refuseKey(row: ForeignRow, nowMs: number): string | null {
  const digest = readDigest(row);
  if (!DIGEST.test(digest)) return "its token isn't a SHA-256 in hex";
  if (KNOWN.has(digest)) return "its secret stands in LiteLLM's documentation, so everybody knows it";
  const expiresAtMs = readTime(row, "expires");
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "it has expired" : null;
}

interface Grace {
  readonly digest: string;
  readonly untilMs: number;
}

/** Returns the secret before the present one, if it still works. Of several, the one that works longest. */
function findGrace(replaced: readonly ForeignRow[], digest: string, nowMs: number): Grace | null {
  const found = replaced.flatMap((row): readonly Grace[] => {
    const old = readDigest(row);
    const untilMs = readTime(row, "revoke_at");
    const isOurs = readText(row, "active_token_id")?.toLowerCase() === digest && DIGEST.test(old);
    return isOurs && untilMs !== null && untilMs > nowMs ? [{ digest: old, untilMs }] : [];
  });
  return found.toSorted((one, other) => other.untilMs - one.untilMs)[0] ?? null;
}
