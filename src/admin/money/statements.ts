// Statements by month: what came in, what requests cost and were charged, and the balance before and after.
import { Type } from "@sinclair/typebox";
import type {
  StatementSums,
  StatementTag,
  StatementUse,
  StoredStatement,
} from "../../core/books/statement.ts";
import { Fault } from "../../core/faults/fault.ts";
import { parseJson } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { OTHER_TAGS, UNTAGGED } from "../../core/log/tags.ts";
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { Scope } from "../../core/people/people.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { computeMonth, findStatementMonth } from "../../ledger/money/month.ts";
import { formatInstant } from "../format.ts";
import { readInput } from "../input.ts";
import { formatCsvLine } from "../log/csv.ts";
import { allowNull, allowWords, closeObject, instant, text, usd, type View } from "../schema.ts";
import type { AdminWorld } from "../world.ts";

const LINE_KINDS = ["model", "key", "member", "tag"] as const;
/** The most lines of tags in a statement: each day may have other tags. */
const TAG_LINES_MAX = 500;

const keptSchema = Type.Object({
  account_id: text,
  account: text,
  month: text,
  time_zone: text,
  from: instant,
  to: instant,
  opening_balance_usd: usd,
  topups_usd: usd,
  charges_usd: Type.Number({ description: "USD. Positive, though it was taken." }),
  adjustments_usd: Type.Number({
    description: "USD. The sum of everything else, such as adjustments, refunds and pay-outs.",
  }),
  closing_balance_usd: usd,
  cost_usd: Type.Number({ description: "USD. The price of all requests, whoever paid." }),
  lines: Type.Array(
    Type.Object({ kind: allowWords(LINE_KINDS), id: text, name: text, cost_usd: usd, amount_usd: usd }),
  ),
});
/** A statement as it is kept: names of people and of their keys are looked up when it is shown. */
type StatementRecord = View<typeof keptSchema>;

export const statementSchema = Type.Object({
  ...keptSchema.properties,
  state: allowWords(["open", "closed"]),
  closed_at: allowNull(instant),
});
export type StatementView = View<typeof statementSchema>;

export const statementQuery = closeObject({
  account: Type.String({ description: "the account's id" }),
  month: Type.String({ description: "the month, such as 2026-11" }),
});

export const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;
/** The time after a month's end for which its statement stays open. */
export const OPEN_AFTER_MS = 86_400_000;

export interface StatementParts extends Pick<AdminWorld, "store" | "clock"> {
  readonly dayRules: () => DayRules;
}

/**
 * Returns an account's statement of a month. A day after the month's end it is closed, and doesn't change any more.
 * Throws the Faults `not_found`, and `invalid_value` for a month that hasn't begun.
 */
export async function getStatement(
  parts: StatementParts,
  accountId: string,
  month: string,
  scope?: Scope,
): Promise<StatementView> {
  const { store, clock } = parts;
  const account = await store.account(accountId, scope);
  if (account === null) throw new Fault("not_found", "There is no account with that id.");
  const kept = await store.journals.statement(accountId, month);
  if (kept !== null) return showKept(parts, kept, scope);
  const nowMs = clock.nowMs();
  const timeZone = account.timeZone ?? parts.dayRules().timeZone;
  if (!MONTH.test(month) || month > computeMonth(nowMs, timeZone)) {
    throw invalidValue("month", "expected a month that has begun, such as 2026-11");
  }
  const span = findStatementMonth(month, timeZone);
  const sums = await store.journals.sumStatement(accountId, span);
  if (sums === null) throw new Fault("not_found", "There is no account with that id.");
  const about = { account_id: accountId, account: account.name, month, time_zone: timeZone };
  const times = { from: formatInstant(span.fromMs), to: formatInstant(span.toMs) };
  const made: StatementRecord = { ...about, ...times, ...addUp(sums), lines: listLines(sums) };
  const closesAtMs = span.toMs + OPEN_AFTER_MS;
  if (nowMs < closesAtMs) return nameLines(parts, { ...made, state: "open", closed_at: null }, scope);
  const lines = await nameServiceKeys(parts, made.lines, { accountIds: [accountId], personal: null });
  const data = JSON.stringify({ ...made, lines });
  return showKept(
    parts,
    await store.journals.keepStatement({ accountId, month, closedAtMs: closesAtMs, data }),
    scope,
  );
}

function addUp({ uses, movements, closingNanoUsd }: StatementSums) {
  const sum = (amounts: readonly NanoUsd[]) => amounts.reduce((total, amount) => total + amount, 0);
  const toppedUp = movements.filter(({ kind }) => kind === "topup");
  const topUps = sum(toppedUp.map(({ balanceNanoUsd }) => balanceNanoUsd));
  const moved = sum(movements.map(({ balanceNanoUsd }) => balanceNanoUsd));
  const charges = sum(uses.map(({ chargedNanoUsd }) => chargedNanoUsd));
  return {
    opening_balance_usd: toUsd(closingNanoUsd - moved + charges),
    topups_usd: toUsd(topUps),
    charges_usd: toUsd(charges),
    adjustments_usd: toUsd(moved - topUps),
    closing_balance_usd: toUsd(closingNanoUsd),
    cost_usd: toUsd(sum(uses.map(({ costNanoUsd }) => costNanoUsd))),
  };
}

const GROUPS = {
  model: ({ model }: StatementUse) => model,
  key: ({ keyId }: StatementUse) => keyId,
  member: ({ member }: StatementUse) => member,
} as const;

type StatementRecordLine = StatementRecord["lines"][number];
type StatementCosts = Pick<StatementUse, "costNanoUsd" | "chargedNanoUsd">;

/**
 * Lines without an amount are left out. Those of models and of keys add up to the charges. Those of people may not, since
 * service keys have none, and those of tags may not, since a request is in the line of each of its tags.
 */
function listLines({ uses, tags }: StatementSums): StatementRecord["lines"] {
  const lines: StatementRecordLine[] = [];
  for (const kind of ["model", "key", "member"] as const) {
    for (const [id, grouped] of Map.groupBy(uses, GROUPS[kind])) {
      if (kind === "member" && id === "") continue;
      lines.push(...makeLine(kind, id, id, grouped));
    }
  }
  return [...sortLines(lines), ...listTagLines(tags)];
}

/** Those of the most expensive tags, then one for all others, and one for requests without tags unless all are. */
function listTagLines(tags: readonly StatementTag[]): readonly StatementRecordLine[] {
  const named = tags.filter(({ tag }) => tag !== "" && tag !== OTHER_TAGS);
  const byCost = named.toSorted((a, b) => b.costNanoUsd - a.costNanoUsd || (a.tag < b.tag ? -1 : 1));
  const others = [...byCost.slice(TAG_LINES_MAX), ...tags.filter(({ tag }) => tag === OTHER_TAGS)];
  const untagged = named.length === 0 ? [] : tags.filter(({ tag }) => tag === "");
  return [
    ...sortLines(byCost.slice(0, TAG_LINES_MAX).flatMap((one) => makeLine("tag", one.tag, one.tag, [one]))),
    ...makeLine("tag", OTHER_TAGS, OTHER_TAGS, others),
    ...makeLine("tag", UNTAGGED, UNTAGGED, untagged),
  ];
}

function makeLine(
  kind: StatementRecordLine["kind"],
  id: string,
  name: string,
  costs: readonly StatementCosts[],
): readonly StatementRecordLine[] {
  const cost = costs.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0);
  const charged = costs.reduce((sum, { chargedNanoUsd }) => sum + chargedNanoUsd, 0);
  if (cost === 0 && charged === 0) return [];
  return [{ kind, id, name, cost_usd: toUsd(cost), amount_usd: toUsd(charged) }];
}

/** By their kind, then the most expensive first. */
function sortLines(lines: readonly StatementRecordLine[]): readonly StatementRecordLine[] {
  const order = (line: StatementRecordLine) => LINE_KINDS.indexOf(line.kind);
  return lines.toSorted(
    (a, b) =>
      order(a) - order(b) || b.amount_usd - a.amount_usd || b.cost_usd - a.cost_usd || (a.id < b.id ? -1 : 1),
  );
}

function showKept(
  parts: StatementParts,
  { data, closedAtMs }: Pick<StoredStatement, "data" | "closedAtMs">,
  scope?: Scope,
): Promise<StatementView> {
  const kept = readInput(keptSchema, parseJson(data));
  return nameLines(parts, { ...kept, state: "closed", closed_at: formatInstant(closedAtMs) }, scope);
}

/**
 * Names of people and of their personal keys aren't kept with the statement, so that they can be erased, and neither are
 * those of keys that were moved: their names are another account's.
 */
async function nameServiceKeys(
  { store }: StatementParts,
  lines: StatementRecord["lines"],
  scope: Scope,
): Promise<StatementRecord["lines"]> {
  const named = lines.map(async (line) => {
    const key = line.kind === "key" ? await store.key(line.id, scope) : null;
    return key === null || key.memberId !== null ? line : { ...line, name: key.name };
  });
  return Promise.all(named);
}

async function nameLines(parts: StatementParts, view: StatementView, scope?: Scope): Promise<StatementView> {
  const lines = view.lines.map(async (line) => ({ ...line, name: await findName(parts, line, scope) }));
  return { ...view, lines: await Promise.all(lines) };
}

/** A service key has the name that was kept with the statement, if it was. */
async function findName(
  { store }: StatementParts,
  { kind, id, name }: StatementRecordLine,
  scope?: Scope,
): Promise<string> {
  if (kind === "member") return (await store.people.member(id))?.name ?? name;
  const key = kind === "key" ? await store.key(id, scope) : null;
  return key !== null && (name === id || key.memberId !== null) ? key.name : name;
}

/** Returns its sums as lines, then those of models, keys, people and tags. */
export function listStatement(view: StatementView): readonly StatementLine[] {
  const sums = SUMS.map((kind) => ({
    kind,
    id: "",
    name: "",
    cost_usd: kind === "charges" ? view.cost_usd : null,
    amount_usd: view[`${kind}_usd`],
  }));
  return [...sums, ...view.lines];
}

interface StatementLine {
  readonly kind: (typeof SUMS)[number] | (typeof LINE_KINDS)[number];
  readonly id: string;
  readonly name: string;
  /** Null where nothing was asked of a model. */
  readonly cost_usd: number | null;
  readonly amount_usd: number;
}

const SUMS = ["opening_balance", "topups", "charges", "adjustments", "closing_balance"] as const;
export const statementLineSchema = Type.Object({
  account_id: text,
  month: text,
  state: text,
  kind: allowWords([...SUMS, ...LINE_KINDS]),
  id: text,
  name: text,
  cost_usd: allowNull(usd),
  amount_usd: usd,
});

/** Returns a statement's lines as rows of an export. */
export function listStatementRows(view: StatementView): readonly View<typeof statementLineSchema>[] {
  const { account_id, month, state } = view;
  return listStatement(view).map((line) => ({ account_id, month, state, ...line }));
}

const COLUMNS = ["account_id", "account", "month", "kind", "id", "name", "cost_usd", "amount_usd"];

export function formatStatement(view: StatementView): string {
  const about = [view.account_id, view.account, view.month];
  const lines = listStatement(view).map(({ kind, id, name, cost_usd, amount_usd }) => [
    ...about,
    kind,
    id,
    name,
    cost_usd,
    amount_usd,
  ]);
  return [COLUMNS, ...lines].map(formatCsvLine).join("");
}
