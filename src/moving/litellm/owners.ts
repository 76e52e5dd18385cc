// LiteLLM's teams as accounts and its keys as keys, which keep their secrets.
import { ACCOUNT_DEFAULTS, type Account } from "../../core/keys/key.ts";
import { cutName, type ForeignRow, isEmptyCell, readFlag, readText, readTime } from "../columns.ts";
import { deriveId } from "../ids.ts";
import type { PlannedAccount, PlannedKey, PlannedOwners } from "../plan.ts";
import type { Report } from "../report.ts";
import { BoundFinder } from "./bounds.ts";
import { readLimits } from "./budgets.ts";
import type { ModelNames } from "./config.ts";
import { GATEWAY_USER } from "./gateway-budget.ts";
import {
  checkAliases,
  checkColumns,
  checkMetadata,
  checkPermission,
  TEAM_COLUMNS,
  TEAM_PEOPLE,
} from "./key-columns.ts";
import { joinTools } from "./key-tools.ts";
import { GATEWAY, type KeySource, listSharers, readKey } from "./keys.ts";
import { listLimits, listSpent } from "./limits.ts";
import { ImportNotes } from "./notes.ts";
import { Lookup, type Tables } from "./tables.ts";
import type { ToolServerNames } from "./tool-servers.ts";
import { findUses } from "./uses.ts";

interface LiteLlmOwnerParts {
  readonly names: ModelNames;
  /** Missing if there are no tool servers. */
  readonly toolNames?: ToolServerNames | null;
  /** The budget of all calls together. */
  readonly budget: ForeignRow | null;
  readonly report: Report;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** The time until which unused secrets work. */
  readonly foreignUntilMs: number;
}

/** The limits of a key's team, user, organization and tags bind it here too: no key may do or spend more than before. */
export function readOwners(tables: Tables, parts: LiteLlmOwnerParts): PlannedOwners {
  const teams = new Lookup("teams", tables.teams);
  const ids = [...(tables.teams ?? []), ...tables.keys].flatMap((row) => readText(row, "team_id") ?? []);
  const accounts = [...new Set(ids)].map((id) => readTeam(teams.find(id) ?? { team_id: id }, tables, parts));
  const finder = new BoundFinder(tables, parts.budget);
  const sources = tables.keys.map((row): KeySource => {
    const id = readText(row, "team_id");
    const team = (id !== null && teams.find(id)) || null;
    const missing = id !== null && team === null ? [teams.explainMissing("team", id)] : [];
    const { bounds, unknown } = finder.find(row, team);
    return { row, team, bounds, unknown: [...missing, ...unknown, ...findMentions(row, tables)] };
  });
  const sharers = listSharers(sources, parts);
  reportUnused(tables, sharers, parts.report);
  const keyParts = {
    ...parts,
    finder,
    sharers,
    replaced: tables.replaced,
    accessGroups: tables.accessGroups,
    permissions: tables.permissions,
    toolNames: parts.toolNames ?? null,
    findReasons: findUses(tables, parts.report),
  };
  const keys = sources.flatMap((source) => readKey(source, keyParts) ?? []);
  return { wholeOf: null, accounts: allowTools(accounts, keys, parts), keys };
}

/** An account may call what its keys may. The one of keys without a team is the operator's own, and stays as it is. */
function allowTools(
  accounts: readonly PlannedAccount[],
  keys: readonly PlannedKey[],
  { toolNames = null, report }: LiteLlmOwnerParts,
): readonly PlannedAccount[] {
  if (toolNames === null) return accounts;
  const byAccount = Map.groupBy(keys, ({ key }) => key.accountId);
  const list = (id: string) => joinTools((byAccount.get(id) ?? []).map(({ key }) => key.allowedTools ?? []));
  const ofNoTeam = list("default");
  if (ofNoTeam.length > 0)
    report.narrow(
      null,
      "tools of keys without a team",
      `give the account default the allowed_tools ${ofNoTeam.join(", ")}`,
    );
  return accounts.map((planned) => ({
    ...planned,
    account: { ...planned.account, allowedTools: list(planned.account.id) },
  }));
}

const REFERENCES = ["token", "team_id", "user_id", "organization_id", "project_id"];

/** Returns the reasons to pause a key that a table names which nobody here knows. */
function findMentions(key: ForeignRow, { mentions }: Tables): readonly string[] {
  return REFERENCES.flatMap((column) => {
    const table = mentions.get(readText(key, column) ?? "");
    return table === undefined ? [] : [`${table}, a table that isn't known here, names its ${column}`];
  });
}

function readTeam(row: ForeignRow, tables: Tables, parts: LiteLlmOwnerParts): PlannedAccount {
  const { names, report, nowMs, toolNames = null } = parts;
  const teamId = readText(row, "team_id") ?? "";
  const alias = cutName(readText(row, "team_alias") ?? "");
  const name = alias === "" ? cutName(teamId) : alias;
  const notes = new ImportNotes(report, `team ${name}`);
  checkColumns(row, TEAM_COLUMNS, notes);
  checkPermission(row, tables.permissions, notes, { hasTools: toolNames !== null });
  checkMetadata(row, notes);
  checkTeamAliases(row, tables, names, notes);
  const limits = readLimits(row, { names, notes, nowMs, where: "", isKey: false });
  const { pausedFor } = notes;
  const isPaused = readFlag(row, "blocked") || pausedFor.length > 0;
  const account: Account = {
    ...ACCOUNT_DEFAULTS,
    ...listLimits(limits),
    id: deriveId("acct", GATEWAY, teamId),
    name,
    requestsPerDay: null,
    createdAtMs: readTime(row, "created_at") ?? nowMs,
    ...(isPaused ? { isPaused, pausedBy: ["admin"] } : {}),
  };
  const isBlocked = readFlag(row, "blocked");
  return { account, foreignId: teamId, spent: listSpent(limits), pausedFor, isBlocked, topUpNanoUsd: 0 };
}

/** A team's names for models are a row of another table. */
function checkTeamAliases(
  row: ForeignRow,
  { teamAliases }: Tables,
  names: ModelNames,
  notes: ImportNotes,
): void {
  if (isEmptyCell(row.model_id)) return;
  const found = teamAliases?.find(({ id }) => String(id) === String(row.model_id));
  if (found === undefined)
    notes.pause("model_aliases: its names for models aren't in the tables that were given");
  else checkAliases(found.aliases, "model_aliases", names, notes);
}

/** People and organizations have no entry of their own: their limits are on their keys. */
function reportUnused(tables: Tables, sharers: ReadonlyMap<string, number>, report: Report): void {
  const LIMITS = ["max_budget", "rpm_limit", "tpm_limit", "max_parallel_requests", "models", "budget_id"];
  for (const [word, column, rows] of [
    ["user", "user_id", tables.users ?? []],
    ["organization", "organization_id", tables.organizations ?? []],
  ] as const) {
    for (const row of rows) {
      const name = `${word} ${readText(row, column)}`;
      if (readText(row, column) === GATEWAY_USER) continue;
      if (!sharers.has(name) && LIMITS.some((limit) => !isEmptyCell(row[limit])))
        report.leave(
          null,
          `${name}: limits`,
          "it has no key that was taken: give its accounts or keys limits",
        );
    }
  }
  reportMembers(tables.teams ?? [], report);
  if (tables.users !== null && tables.users.length > 0)
    report.leave(
      null,
      `users (${tables.users.length})`,
      "people sign in with the company's identity provider; what limits them limits their keys",
    );
}

function reportMembers(teams: readonly ForeignRow[], report: Report): void {
  const peopled = teams.filter((row) => TEAM_PEOPLE.some((column) => !isEmptyCell(row[column])));
  if (peopled.length === 0) return;
  report.leave(
    null,
    `members of teams (${peopled.length})`,
    "people sign in with the company's identity provider, and get their roles there or from an admin",
  );
}
