// From an event, or a row of the audit log, to its deliveries: one for each endpoint that wants it.
import { createHash } from "node:crypto";
import type { AuditRow } from "../core/audit/audit-log.ts";
import { AUDIT_TYPE, AUDITED_EVENTS, type EventData, type StoredEvent } from "../core/events/events.ts";
import { type Delivery, type Endpoint, isFor, wantsEvent } from "../core/events/webhook.ts";
import { asArray, asObject, parseJson } from "../core/json/json.ts";

/** An event before its endpoints are chosen. */
export interface Happening {
  /** Unique over all accounts. */
  readonly id: string;
  readonly type: string;
  /** Empty if it concerns none. */
  readonly accountId: string;
  readonly atMs: number;
  readonly data: EventData;
  /** Further data, for the endpoints that may name people. */
  readonly people?: EventData;
}

const ID_DIGITS = 32;
/** Receivers expect small bodies: of a larger one, only the ids are sent. */
const DATA_MAX = 16_000;

/** Returns what happened by an event of the outbox. */
export function readEvent({ accountId, id, type, atMs, data }: StoredEvent): Happening {
  return { id: `${accountId} ${id}`, type, accountId, atMs, data };
}

/** Returns the id of the person who is an event's subject, if the event doesn't have their name. */
export function findUnnamedMember({
  id,
  key_id: keyId,
  member_id: memberId,
  name,
}: EventData): string | null {
  const isSubject = id === undefined && keyId === undefined && typeof memberId === "string";
  return isSubject && (name === undefined || name === memberId) ? memberId : null;
}

/** Returns what happened by a row of the audit log: the row itself, and the event that it is besides. */
export function readAudited(row: AuditRow): readonly Happening[] {
  const about = { accountId: row.accountId ?? "", atMs: row.atMs };
  const id = row.targetId;
  const target = { type: row.targetType, id, name: row.targetName };
  const data = {
    id,
    name: row.targetName,
    ...(row.targetType === "key" ? { key_id: id } : {}),
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    action: row.action,
    target,
    outcome: row.outcome,
    reason: row.reason,
    address: row.address,
    agent: row.agent,
    route: row.route,
    request_id: row.requestId,
  };
  const audited = { ...about, id: `${row.id} audit`, type: `${AUDIT_TYPE}${row.action}`, data };
  const { actor } = data;
  const types = row.outcome === "success" ? listTypes(row) : [];
  const events = types.map((type) => ({
    ...about,
    id: `${row.id} ${type}`,
    type,
    data: { id, name: row.targetName, [`${row.targetType}_id`]: id, by: { kind: actor.kind, id: actor.id } },
  }));
  return [audited, ...events];
}

function listTypes(row: AuditRow): readonly string[] {
  const raised = isBudgetRaised(row) ? ["budget.raised"] : [];
  return AUDITED_EVENTS.has(row.action) ? [row.action, ...raised] : raised;
}

/** True if a budget that was there before has a larger amount now. */
function isBudgetRaised({ before, after }: AuditRow): boolean {
  const were = new Map(readBudgets(before).map(({ name, usd }) => [name, usd]));
  return readBudgets(after).some(({ name, usd }) => usd > (were.get(name) ?? Number.POSITIVE_INFINITY));
}

function readBudgets(json: string | null): readonly { readonly name: string; readonly usd: number }[] {
  return asArray(asObject(json === null ? null : parseJson(json)).budgets).map((one) => {
    const { per, models, usd, extra_usd: extra } = asObject(one);
    const amount = (value: unknown) => (typeof value === "number" ? value : 0);
    return { name: JSON.stringify([per, models ?? null]), usd: amount(usd) + amount(extra) };
  });
}

/** Returns a delivery for each endpoint that wants it. `account` is the name of its account, null for none. */
export function routeTo(
  endpoints: readonly Endpoint[],
  happening: Happening,
  account: string | null,
  nowMs: number,
): readonly Delivery[] {
  const { id, type, accountId, atMs, data, people } = happening;
  const webhookId = `msg_${digest(id)}`;
  const show = (told: EventData) => bound(nameSubject(told, accountId, account));
  const shared = { webhookId, type, accountId, atMs, data: show(data) };
  return endpoints
    .filter((one) => wantsEvent(one.events, type) && isFor(one, accountId, account))
    .map((endpoint) => ({
      id: `whd_${digest(`${webhookId} ${endpoint.id}`)}`,
      ...shared,
      ...(people && endpoint.showsPeople ? { data: show({ ...data, ...people }) } : {}),
      endpoint: endpoint.id,
      state: "waiting",
      attempts: 0,
      dueAtMs: nowMs,
      status: null,
      reason: null,
    }));
}

/** Every event names its subject in the same fields. */
function nameSubject(data: EventData, accountId: string, account: string | null): EventData {
  const id = data.id ?? data.key_id ?? data.member_id ?? data.provider ?? accountId;
  const { name = id === accountId ? account : null, key_id = null } = data;
  return { ...data, id, name, account_id: accountId || null, account, key_id };
}

function bound(data: EventData): EventData {
  if (JSON.stringify(data).length <= DATA_MAX) return data;
  const { id, account_id, key_id } = data;
  return { id, name: null, account_id, key_id, account: null };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, ID_DIGITS);
}
