// The audit log as operators see it: a page of rows, or all of them for an export.
import { type Static, Type } from "@sinclair/typebox";
import { type AuditFilter, type AuditRow, OUTCOMES } from "../../core/audit/audit-log.ts";
import { isObject, parseJson } from "../../core/json/json.ts";
import type { Scope } from "../../core/people/people.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { formatInstant } from "../format.ts";
import { type ListPage, listPage, pageFields } from "../list.ts";
import { allowNull, allowWords, closeObject, instant, text, type View } from "../schema.ts";
import { momentFields, readFrom, readTo } from "../span.ts";
import type { AdminWorld } from "../world.ts";

const filters = {
  actor: Type.Optional(Type.String({ description: "The actor's id." })),
  action: Type.Optional(Type.String({ description: "An action, or its noun, such as `key`." })),
  target: Type.Optional(Type.String({ description: "The target's id or type." })),
  outcome: Type.Optional(allowWords(OUTCOMES)),
  account: Type.Optional(text),
  ...momentFields,
};
export const auditExportQuery = closeObject(filters);
export const auditQuery = closeObject({ ...pageFields, ...filters });

const changed = allowNull(Type.Record(Type.String(), Type.Unknown()));

export const auditSchema = Type.Object({
  id: text,
  at: instant,
  actor: Type.Object({ kind: text, id: text, name: text }),
  action: text,
  target: Type.Object({ type: text, id: text, name: text }),
  outcome: allowWords(OUTCOMES),
  account_id: allowNull(text),
  reason: Type.Union([text, Type.Null()], {
    description: "The error's code if it was refused or failed, or why it was done.",
  }),
  address: text,
  agent: text,
  route: text,
  request_id: text,
  before: changed,
  after: changed,
});
export type AuditView = View<typeof auditSchema>;

export function auditView(row: AuditRow): AuditView {
  return {
    id: row.id,
    at: formatInstant(row.atMs),
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    action: row.action,
    target: { type: row.targetType, id: row.targetId, name: row.targetName },
    outcome: row.outcome,
    account_id: row.accountId,
    reason: row.reason,
    address: row.address,
    agent: row.agent,
    route: row.route,
    request_id: row.requestId,
    before: readFields(row.before),
    after: readFields(row.after),
  };
}

function readFields(json: string | null): AuditView["before"] {
  const fields = json === null ? null : parseJson(json);
  return isObject(fields) ? fields : null;
}

interface AuditParts {
  readonly store: Pick<AdminWorld["store"], "auditLog">;
  readonly dayRules: () => DayRules;
}

function readFilter(
  { dayRules }: AuditParts,
  { actor, action, target, outcome, account, from, to }: Static<typeof auditExportQuery>,
  { accountIds }: Scope,
): AuditFilter {
  const rules = dayRules();
  return {
    actor,
    action,
    target,
    outcome,
    accountId: account,
    accountIds,
    fromMs: from === undefined ? undefined : readFrom(from, rules),
    toMs: to === undefined ? undefined : readTo(to, rules),
  };
}

/** Returns a page of the rows that may be seen, newest first. */
export function listAudit(
  parts: AuditParts,
  query: Static<typeof auditQuery>,
  scope: Scope,
): Promise<ListPage<AuditView>> {
  const filter = readFilter(parts, query, scope);
  const { auditLog } = parts.store;
  const positionOf = ({ atMs, seq }: AuditRow) => ({ atMs, id: String(seq) });
  return listPage(
    query,
    ({ limit, after }) => auditLog.rows(filter, { limit, before: after && readSeq(after.id) }),
    positionOf,
    auditView,
  );
}

/** A cursor of another list begins before the first row. */
function readSeq(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : 0;
}

const ROWS_AT_ONCE = 200;

/** Returns all rows that may be seen, newest first, a few hundred at a time. */
export async function* readAudit(
  parts: AuditParts,
  query: Static<typeof auditExportQuery>,
  scope: Scope,
): AsyncGenerator<readonly AuditView[]> {
  const filter = readFilter(parts, query, scope);
  let before: number | null = null;
  for (;;) {
    const rows: readonly AuditRow[] = await parts.store.auditLog.rows(filter, {
      limit: ROWS_AT_ONCE,
      before,
    });
    if (rows.length > 0) yield rows.map(auditView);
    before = rows.at(-1)?.seq ?? null;
    if (rows.length < ROWS_AT_ONCE || before === null) return;
  }
}
