// LiteLLM's teams as accounts and its keys as keys, which keep their secrets.
import { ACCOUNT_DEFAULTS, type Account, type GatewayKey, KEY_DEFAULTS } from "../../core/key.ts";
import { matchesAny, NO_MODELS } from "../../core/pattern.ts";
import { listKnownDigests } from "../../keys/foreign.ts";
import { cutName, type ForeignRow, readFlag, readList, readText, readTime } from "../columns.ts";
import { deriveId } from "../ids.ts";
import type { PlannedAccount, PlannedKey, PlannedOwners } from "../plan.ts";
import type { Report } from "../report.ts";
import { addBudget, readLimits } from "./budgets.ts";
import type { ModelNames } from "./config.ts";

/** Rows of LiteLLM's tables. Only the keys are needed. */
export interface Tables {
  readonly keys: readonly ForeignRow[];
  readonly teams: readonly ForeignRow[];
  readonly budgets: readonly ForeignRow[];
  /** Secrets that were replaced and still work for a while. */
  readonly replaced: readonly ForeignRow[];
}

interface OwnerParts {
  readonly names: ModelNames;
  readonly report: Report;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** The time until which unused secrets work. */
  readonly foreignUntilMs: number;
}

const GATEWAY = "litellm";
const KNOWN = listKnownDigests();
const DIGEST = /^[0-9a-f]{64}$/;
const LAST_CHARACTERS = 4;
const ALL_MODELS = ["all-proxy-models", "*"];
const TEAM_MODELS = "all-team-models";
/** A list of this alone allows none, since a list of nothing allows all. */
const NONE = "no-default-models";

export function readOwners(tables: Tables, parts: OwnerParts): PlannedOwners {
  const teams = new Map(tables.teams.map((row) => [readText(row, "team_id") ?? "", row]));
  for (const row of tables.keys) {
    const id = readText(row, "team_id");
    // A CSV has the keys alone.
    if (id !== null && !teams.has(id)) teams.set(id, { team_id: id });
  }
  teams.delete("");
  const budgets = new Map(tables.budgets.map((row) => [readText(row, "budget_id") ?? "", row]));
  const accounts = [...teams.values()].map((row) => readTeam(row, parts));
  const keys = tables.keys.flatMap((row) => {
    const team = teams.get(readText(row, "team_id") ?? "") ?? null;
    const whole = addBudget(row, budgets.get(readText(row, "budget_id") ?? ""));
    return readKey({ row: whole, team, replaced: tables.replaced }, parts) ?? [];
  });
  return { accounts, keys };
}

function readTeam(row: ForeignRow, { names, report, nowMs }: OwnerParts): PlannedAccount {
  const teamId = readText(row, "team_id") ?? "";
  const name = cutName(readText(row, "team_alias") ?? teamId);
  const { spent, left, ...limits } = readLimits(row, names);
  for (const [part, words] of left) report.leave(null, `team ${name}: ${part}`, words);
  const isPaused = readFlag(row, "blocked");
  const account: Account = {
    ...ACCOUNT_DEFAULTS,
    ...limits,
    id: deriveId("acct", GATEWAY, teamId),
    name: name === "" ? teamId : name,
    requestsPerDay: null,
    createdAtMs: readTime(row, "created_at") ?? nowMs,
    ...(isPaused ? { isPaused, pausedBy: ["admin"] } : {}),
  };
  return { account, spent, topUpNanoUsd: 0 };
}

interface KeySource {
  readonly row: ForeignRow;
  readonly team: ForeignRow | null;
  readonly replaced: readonly ForeignRow[];
}

/** Returns null for a key that isn't taken. */
function readKey(source: KeySource, parts: OwnerParts): PlannedKey | null {
  const { row, team } = source;
  const { names, report, nowMs, foreignUntilMs } = parts;
  const digest = readText(row, "token")?.toLowerCase() ?? "";
  const name = nameKey(row, digest);
  const refusal = refuseKey(digest, row, parts);
  if (refusal !== null) {
    report.leave(null, `key ${name}`, refusal);
    return null;
  }
  const { spent, left, ...limits } = readLimits(row, names);
  for (const [part, words] of [...left, ...listLost(row)]) report.leave(null, `key ${name}: ${part}`, words);
  const allowedModels = readModels(source, parts, name);
  if (allowedModels !== null) reportFallbacks(allowedModels, parts, `key ${name}`);
  const grace = findGrace(source, digest, nowMs);
  const isPaused = readFlag(row, "blocked");
  const key: GatewayKey = {
    ...KEY_DEFAULTS,
    ...limits,
    id: deriveId("key", GATEWAY, digest),
    name,
    last4: (readText(row, "key_name") ?? digest).slice(-LAST_CHARACTERS),
    accountId: team === null ? "default" : deriveId("acct", GATEWAY, readText(team, "team_id") ?? ""),
    createdAtMs: readTime(row, "created_at") ?? nowMs,
    expiresAtMs: readTime(row, "expires"),
    allowedModels,
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
  return { key, spent, secret: null, foreign };
}

function nameKey(row: ForeignRow, digest: string): string {
  const name = cutName(readText(row, "key_alias") ?? readText(row, "key_name") ?? "");
  return name === "" ? `litellm ${digest.slice(0, 8)}` : name;
}

function refuseKey(digest: string, row: ForeignRow, { nowMs }: OwnerParts): string | null {
  if (!DIGEST.test(digest)) return "its token isn't a SHA-256 in hex";
  if (KNOWN.has(digest)) return "its secret stands in LiteLLM's documentation, so everybody knows it";
  const expiresAtMs = readTime(row, "expires");
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "it has expired" : null;
}

/** Parts of a key that have no place here. */
function listLost(row: ForeignRow): readonly (readonly [string, string])[] {
  const isGiven = (column: string) =>
    readList(row, column).length > 0 ||
    (row[column] !== null && Object.keys(asColumns(row[column])).length > 0);
  const reasons: Readonly<Record<string, string>> = {
    aliases: "aliases are for all keys: add them to the configuration",
    allowed_routes: "every key may use every API",
    budget_fallbacks: "a used-up budget refuses",
    object_permission_id: "there are no MCP servers or vector stores",
  };
  return Object.entries(reasons).filter(([column]) => isGiven(column));
}

function asColumns(value: unknown): object {
  if (typeof value === "object" && value !== null) return value;
  return typeof value === "string" && value !== "" && value !== "{}" ? { value } : {};
}

interface Grace {
  readonly digest: string;
  readonly untilMs: number;
}

/** Returns the secret before the present one, if it still works. Of several, the one that works longest. */
function findGrace({ replaced }: KeySource, digest: string, nowMs: number): Grace | null {
  const found = replaced.flatMap((row): readonly Grace[] => {
    const old = readText(row, "token")?.toLowerCase() ?? "";
    const untilMs = readTime(row, "revoke_at");
    const isOurs = readText(row, "active_token_id")?.toLowerCase() === digest && DIGEST.test(old);
    return isOurs && untilMs !== null && untilMs > nowMs ? [{ digest: old, untilMs }] : [];
  });
  return found.toSorted((one, other) => other.untilMs - one.untilMs)[0] ?? null;
}

/** A key may use what both it and its team may. Null for all models. */
function readModels({ row, team }: KeySource, parts: OwnerParts, name: string): readonly string[] | null {
  const own = readList(row, "models");
  const ofTeam = team === null ? [] : readList(team, "models");
  const asTeam = own.length === 0 || own.includes(TEAM_MODELS);
  const first = asTeam ? null : listModels(own, parts, `key ${name}`);
  const second = listModels(ofTeam, parts, `key ${name}`);
  if (first === null || second === null) return first ?? second;
  const common = first.filter((model) => second.includes(model));
  return common.length === 0 ? [NO_MODELS] : common;
}

/** LiteLLM falls back to models that the key itself may not use. */
function reportFallbacks(allowed: readonly string[], { names, report }: OwnerParts, owner: string): void {
  for (const id of allowed) {
    const lost = names.findFallbacks(id).filter((one) => !matchesAny(allowed, one));
    if (lost.length > 0)
      report.leave(null, `${owner}: fallbacks of ${id}`, `allowed_models doesn't have ${lost.join(", ")}`);
  }
}

function listModels(
  given: readonly string[],
  { names, report }: OwnerParts,
  owner: string,
): readonly string[] | null {
  if (given.length === 0 || given.some((model) => ALL_MODELS.includes(model))) return null;
  const found = given.flatMap((model) => {
    const ids = names.find(model);
    if (ids.length === 0 && model !== NONE)
      report.leave(null, `${owner}: model ${model}`, "it isn't in the configuration");
    return ids;
  });
  return found.length === 0 ? [NO_MODELS] : [...new Set(found)];
}
