// Users of new-api and One API as accounts with their balance, and tokens as keys, which keep their secrets.

import { ACCOUNT_DEFAULTS, type Account, type GatewayKey, KEY_DEFAULTS } from "../../core/keys/key.ts";
import { makeBudget, nameBudget } from "../../core/limits/budget.ts";
import { NO_LIMITS } from "../../core/limits/limit.ts";
import { MINUTE_LIMITS, mapLimits } from "../../core/limits/limit-table.ts";
import { NO_MODELS } from "../../core/text/pattern.ts";
import { isAddressBlock } from "../../core/world/address.ts";
import { isKnownDefault } from "../../keys/foreign.ts";
import { cutName, type ForeignRow, readFlag, readNumber, readText, roundUsd, splitList } from "../columns.ts";
import { deriveId } from "../ids.ts";
import type { PlannedAccount, PlannedKey, PlannedOwners } from "../plan.ts";
import type { Report } from "../report.ts";

import { DEFAULT_GROUP, type GroupModels, readTokenGroup } from "./groups.ts";
import { readOption, readRateLimit } from "./options.ts";
import { listUnknown } from "./schema.ts";
import { readBare, readTokenName, tellApart } from "./token-names.ts";
import type { Flavour } from "./types.ts";

/** Rows of new-api's tables. Only the tokens are needed. */
export interface NewApiTables {
  readonly tokens: readonly ForeignRow[];
  readonly users: readonly ForeignRow[];
  readonly options: readonly ForeignRow[];
}

interface NewApiOwnerParts {
  /** Returns the ids behind a name. Empty if it is unknown. */
  readonly find: (name: string) => readonly string[];
  readonly ofGroups: GroupModels;
  readonly report: Report;
  readonly nowMs: number;
  readonly flavour: Flavour;
}

const GATEWAY = "new-api";
const UNITS_PER_USD = 500_000;
const MS_PER_SECOND = 1000;
const NEVER = -1;
const LAST_CHARACTERS = 4;
const STATUS = { on: 1, expired: 3 } as const;
/** One API keeps the rows of users who were deleted. */
const USER_DELETED = 3;
/** A balance or budget is below nine million here. One API gives its first user a thousand million. */
const USD_MAX = 9_000_000;
/** Shorter ones could be guessed. */
const SECRET_CHARACTERS_MIN = 16;

export function readOwners({ tokens, users, options }: NewApiTables, parts: NewApiOwnerParts): PlannedOwners {
  const units = Number(readOption(options, "QuotaPerUnit")) || UNITS_PER_USD;
  const known = new Map(users.map((row) => [readNumber(row, "id") ?? 0, row]));
  for (const row of tokens) {
    const id = readNumber(row, "user_id");
    // A CSV has the tokens alone.
    if (id !== null && users.length === 0) known.set(id, { id });
  }
  const live = [...known].filter(([, row]) => !isDeletedUser(row));
  const tokensOf = Map.groupBy(tokens, (row) => readNumber(row, "user_id"));
  const accounts = live.map(([id, row]) =>
    readUser(id, { row, tokens: tokensOf.get(id) ?? [] }, { ...parts, units, options }),
  );
  const named = tokens.map((row) => {
    const user = known.get(readNumber(row, "user_id") ?? 0);
    return { row, user, name: readTokenName(row) };
  });
  const keys = tellApart(named).flatMap((source) => readToken(source, { ...parts, units, options }) ?? []);
  return { wholeOf: null, accounts, keys };
}

function isDeletedUser(row: ForeignRow): boolean {
  return readText(row, "deleted_at") !== null || readNumber(row, "status") === USER_DELETED;
}

interface UnitParts extends NewApiOwnerParts {
  /** Units of quota in one USD. */
  readonly units: number;
}

interface UserSource {
  readonly row: ForeignRow;
  readonly tokens: readonly ForeignRow[];
}

function readUser(id: number, { row, tokens }: UserSource, parts: NewApiTokenParts): PlannedAccount {
  const { units, nowMs, report } = parts;
  const name = cutName(readText(row, "username") ?? readText(row, "display_name") ?? "");
  const shown = name === "" ? `user ${id}` : name;
  const rate = readRate({ row, tokens }, shown, parts);
  const pausedFor = [...explainUnknown("users", row), ...(rate === 0 ? [RATE_TOO_LOW] : [])];
  const isPaused = isOff(row) || pausedFor.length > 0;
  const account: Account = {
    ...ACCOUNT_DEFAULTS,
    id: deriveId("acct", GATEWAY, String(id)),
    name: shown,
    ...mapLimits(MINUTE_LIMITS, "property", ({ counts }) => (counts === "requests" ? rate : null)),
    requestsPerDay: null,
    createdAtMs: nowMs,
    ...(isPaused ? { isPaused, pausedBy: ["admin"] } : {}),
  };
  const usd = capUsd((readNumber(row, "quota") ?? 0) / units, `balance of ${shown}`, report);
  const foreignId = String(id);
  const isBlocked = isOff(row);
  return { account, foreignId, spent: new Map(), pausedFor, isBlocked, topUpNanoUsd: roundUsd(usd) };
}

const RATE_TOO_LOW = "new-api's limit of requests is below one in a minute";

/**
 * new-api limits the requests of each user in some minutes, by the group of the token that is used. Here, every minute has
 * its part, and the lowest of these limits is the account's.
 */
function readRate(
  { row, tokens }: UserSource,
  name: string,
  { options, report }: NewApiTokenParts,
): number | null {
  const groups = new Set(tokens.map((token) => readTokenGroup(token, row, options).group));
  const given = groups.size > 0 ? [...groups] : [readText(row, "group") ?? DEFAULT_GROUP];
  const limits = given.flatMap((group) => readRateLimit(options, group) ?? []);
  const rate = limits.length === 0 ? null : Math.min(...limits);
  if (rate !== null) report.narrow(null, `account ${name}: limit of requests`, `${rate} in each minute`);
  return rate;
}

/** A column that nobody here knows may limit its owner. */
function explainUnknown(table: "users" | "tokens", row: ForeignRow): readonly string[] {
  return listUnknown(table, row).map((column) => `${column}: a column that isn't known here`);
}

/** True for users and tokens that are refused there: disabled, used up, or anything else but enabled. */
function isOff(row: ForeignRow): boolean {
  const status = readNumber(row, "status");
  return status !== null && status !== STATUS.on;
}

function capUsd(usd: number, item: string, report: Report): number {
  if (usd <= USD_MAX) return usd;
  const [there, here] = [usd, USD_MAX].map((one) => one.toLocaleString("en-US"));
  report.narrow(null, item, `${there} USD there: an amount is up to ${here} USD here`);
  return USD_MAX;
}

interface TokenRow {
  readonly row: ForeignRow;
  readonly user: ForeignRow | undefined;
  readonly name: string;
}

interface NewApiTokenParts extends UnitParts {
  readonly options: readonly ForeignRow[];
}

/** Returns null for a token that isn't taken. */
function readToken({ row, user, name }: TokenRow, parts: NewApiTokenParts): PlannedKey | null {
  const { report, nowMs } = parts;
  const secret = `sk-${readBare(row)}`;
  const refusal = refuseToken(row, secret, nowMs) ?? refuseUser(user);
  if (refusal !== null) {
    report.leave(null, `key ${name}`, refusal);
    return null;
  }
  const { group, unknown } = readTokenGroup(row, user, parts.options);
  const pausedFor = [...(unknown === null ? [] : [unknown]), ...explainUnknown("tokens", row)];
  reportGroup(row, name, report);
  const { budgets, spent } = readQuota(row, name, parts);
  const isPaused = isOff(row) || pausedFor.length > 0;
  const key: GatewayKey = {
    ...KEY_DEFAULTS,
    // Made of the secret, as another export may number its rows differently.
    id: deriveId("key", GATEWAY, secret),
    name,
    last4: secret.slice(-LAST_CHARACTERS),
    accountId: deriveId("acct", GATEWAY, String(readNumber(row, "user_id") ?? 0)),
    createdAtMs: (readNumber(row, "created_time") ?? 0) * MS_PER_SECOND || nowMs,
    expiresAtMs: readExpiry(row),
    ...NO_LIMITS,
    requestsPerDay: null,
    budgets,
    allowedModels: limitToGroup(readModels(row, parts, name), { name, group }, parts),
    allowedAddresses: readAddresses(row, parts, name),
    ...(isPaused ? { isPaused, pausedBy: ["admin"] } : {}),
  };
  return { key, spent, pausedFor, isBlocked: isOff(row), secret, foreign: [] };
}

/** The quota that is left and the one that was used are a budget in all. */
function readQuota(row: ForeignRow, name: string, { units, report }: UnitParts) {
  if (readFlag(row, "unlimited_quota")) return { budgets: [], spent: new Map() };
  const left = readNumber(row, "remain_quota") ?? 0;
  const used = readNumber(row, "used_quota") ?? 0;
  const usd = capUsd((left + used) / units, `key ${name}: quota`, report);
  const budget = makeBudget({ nanoUsd: roundUsd(usd), per: "total" });
  return { budgets: [budget], spent: new Map([[nameBudget(budget), roundUsd(used / units)]]) };
}

/** Tokens without an end have -1. Any other time that is past has ended them, 0 as well. */
function readExpiry(row: ForeignRow): number | null {
  const seconds = readNumber(row, "expired_time") ?? NEVER;
  return seconds === NEVER ? null : seconds * MS_PER_SECOND;
}

function reportGroup(row: ForeignRow, name: string, report: Report): void {
  const group = readText(row, "group");
  if (group !== null)
    report.leave(null, `key ${name}: group ${group}`, "there is one billing.markup for all");
}

/** Tokens of users who are gone are refused there. */
function refuseUser(user: ForeignRow | undefined): string | null {
  if (user === undefined) return "its user isn't there";
  return isDeletedUser(user) ? "its user was deleted" : null;
}

function refuseToken(row: ForeignRow, secret: string, nowMs: number): string | null {
  if (readText(row, "deleted_at") !== null) return "it was deleted";
  if (isKnownDefault(secret)) return "everybody knows its secret";
  if (secret.length < SECRET_CHARACTERS_MIN || !/^sk-[\x21-\x7e]+$/.test(secret))
    return "its secret is too short";
  const expiresAtMs = readExpiry(row);
  const isPast = expiresAtMs !== null && expiresAtMs <= nowMs;
  return isPast || readNumber(row, "status") === STATUS.expired ? "it has expired" : null;
}

function readModels(
  row: ForeignRow,
  { find, report, flavour }: UnitParts,
  name: string,
): readonly string[] | null {
  const { models, modelsSwitch } = flavour;
  const names = splitList(readText(row, models), /,/);
  if (modelsSwitch === null ? names.length === 0 : !readFlag(row, modelsSwitch)) return null;
  const ids = names.flatMap((model) => {
    const found = find(model);
    if (found.length === 0) report.leave(null, `key ${name}: model ${model}`, "no channel serves it");
    return found;
  });
  return ids.length === 0 ? [NO_MODELS] : [...new Set(ids)];
}

/** Users of a group may only use its channels. */
function limitToGroup(
  own: readonly string[] | null,
  { name, group }: { readonly name: string; readonly group: string },
  { ofGroups, report }: UnitParts,
): readonly string[] | null {
  const models = ofGroups.find(group);
  if (models === null) return own;
  const allowed = own === null ? models : own.filter((id) => models.includes(id));
  const count = allowed.length === 1 ? "1 model" : `${allowed.length} models`;
  report.take(null, `key ${name}: channels of ${group}`, `allowed_models has ${count}`);
  return allowed.length === 0 ? [NO_MODELS] : allowed;
}

function readAddresses(
  row: ForeignRow,
  { report, flavour }: UnitParts,
  name: string,
): readonly string[] | null {
  const text = readText(row, flavour.addresses)?.replace(/[,\s]+$/, "") ?? null;
  const given = splitList(text, flavour.addressEnd);
  const blocks = given.filter(isAddressBlock);
  const others = given.filter((one) => !isAddressBlock(one));
  for (const one of others) report.leave(null, `key ${name}: address ${one}`, "it is no IP address");
  // Without any it would work from everywhere.
  if (blocks.length === 0) return others.length > 0 ? ["0.0.0.0"] : null;
  return blocks;
}
