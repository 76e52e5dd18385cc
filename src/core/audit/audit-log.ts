// The audit log: every change, sign-in and look at contents, with its sender, as rows that are chained by their hashes.
import { createHash } from "node:crypto";
import { AUDIT_EVENT, type OutboxEvent } from "../events/events.ts";
import type { Act } from "../people/people.ts";

/** Every action on record, a noun and a verb. */
export const AUDIT_ACTIONS = [
  "account.created",
  "account.changed",
  "account.closed",
  "account.reopened",
  "adjustment.made",
  "topup.made",
  "topup.refunded",
  "topup.disputed",
  "budget.reset",
  "checkout.created",
  "admin_token.reset",
  "admin_token.used",
  "alias.created",
  "alias.changed",
  "alias.deleted",
  "audit.pruned",
  "catalogue.updated",
  "configuration.loaded",
  "configuration.refused",
  "content.read",
  "export.made",
  "file.deleted",
  "group.created",
  "group.changed",
  "group.deleted",
  "device.approved",
  "device.denied",
  "device.ended",
  "key.created",
  "key.changed",
  "key.rotated",
  "key.revoked",
  "learning.forgotten",
  "batch.cancelled",
  "limit_request.made",
  "limit_request.decided",
  "member.created",
  "member.changed",
  "member.anonymised",
  "member.provisioned",
  "member.deactivated",
  "member.activated",
  "member.deprovisioned",
  "model.changed",
  "provider.added",
  "provider.changed",
  "provider.removed",
  "provider.tested",
  "sample.planned",
  "sample.asked",
  "sample.judged",
  "sample.scored",
  "session.started",
  "session.refused",
  "session.ended",
  "store.master_key_added",
  "store.master_key_ended",
  "store.migrated",
  "token.created",
  "token.revoked",
  "token.taken",
  "tool_server.added",
  "tool_server.changed",
  "tool_server.removed",
  "tools.changed",
  "webhook.sent",
  "webhook.tested",
] as const;
/** An action on a plain thing: the name of the thing, a dot, and a verb. */
export type PlainAction = string & { readonly of: "action" };
export type AuditAction = (typeof AUDIT_ACTIONS)[number] | PlainAction;

export const OUTCOMES = ["success", "refused", "failed"] as const;
export type AuditOutcome = (typeof OUTCOMES)[number];

const TARGET_TYPES = [
  "account",
  "admin_token",
  "alias",
  "audit",
  "catalogue",
  "checkout",
  "configuration",
  "credential",
  "device",
  "export",
  "file",
  "group",
  "key",
  "batch",
  "limit_request",
  "member",
  "model",
  "request",
  "sample",
  "session",
  "store",
  "token",
  "tool_server",
  "webhook",
] as const;

/** The name of a plain thing. */
export type PlainName = string & { readonly of: "name" };
/** Begins the ids of a plain thing. */
export type PlainPrefix = string & { readonly of: "prefix" };

/** The thing that an action concerns. Its id and name are empty if there is only one, or it has none. */
export interface AuditTarget {
  readonly type: (typeof TARGET_TYPES)[number] | PlainName;
  readonly id: string;
  readonly name: string;
}

/** The changed fields as the admin routes show them. Never contains a secret. */
export type AuditFields = Readonly<Record<string, unknown>>;

/** An action as it is put on record. Plain data, so that it can wait in the outbox. */
export interface AuditEntry {
  /** `aud_…` */
  readonly id: string;
  readonly atMs: number;
  readonly act: Act;
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly outcome: AuditOutcome;
  /** The account that it concerns. Null for none. */
  readonly accountId: string | null;
  /** The fault's code if it was refused or failed, or else why it was done. Null if there is nothing to say. */
  readonly reason: string | null;
  readonly before: AuditFields | null;
  readonly after: AuditFields | null;
}

/** The known facts of an action. By default it succeeded, concerns no account, and changed no field. */
export type AuditFacts = Pick<AuditEntry, "action" | "target"> &
  Partial<Omit<AuditEntry, "id" | "atMs" | "act">>;

/** Returns the entry as it waits in the outbox, beside the rows of its account. */
export function makeAuditEvent(entry: AuditEntry): OutboxEvent {
  const { accountId, id, atMs } = entry;
  return { accountId: accountId ?? "", id, atMs, type: AUDIT_EVENT, data: { ...entry } };
}

/** The part of a row that the chain covers: ids, and digests of what stands beside it. */
interface AuditLink {
  /** 1, 2, 3 … without gaps. */
  readonly seq: number;
  readonly id: string;
  readonly atMs: number;
  /** One of this version's words, as are `action` and `targetType`, unless another version wrote the row. */
  readonly actorKind: string;
  readonly actorId: string;
  readonly action: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly accountId: string | null;
  readonly outcome: AuditOutcome;
  readonly route: string;
  readonly requestId: string;
  readonly reason: string | null;
  readonly actorDigest: string;
  readonly targetDigest: string;
  readonly changeDigest: string;
}

/** The part beside it, which may be erased: a part without its salt is gone. */
interface AuditDetail {
  readonly actorSalt: string | null;
  readonly actorName: string;
  readonly address: string;
  readonly agent: string;
  readonly targetSalt: string | null;
  readonly targetName: string;
  readonly changeSalt: string | null;
  /** As JSON. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface AuditRow extends AuditLink, AuditDetail {
  readonly hash: string;
}

/** The last row of the chain. The chain begins with seq 0 and an empty hash. */
export type AuditHead = Pick<AuditRow, "seq" | "hash">;

export const CHAIN_START: AuditHead = { seq: 0, hash: "" };

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Nobody can guess an erased name by trying names: its salt is erased with it. */
function digestPart(salt: string, values: readonly (string | null)[]): string {
  return hash(`${salt} ${JSON.stringify(values)}`);
}

function digestActor({ actorName, address, agent }: AuditDetail, salt: string): string {
  return digestPart(salt, [actorName, address, agent]);
}

function digestTarget({ targetName }: AuditDetail, salt: string): string {
  return digestPart(salt, [targetName]);
}

function digestChange({ before, after }: AuditDetail, salt: string): string {
  return digestPart(salt, [before, after]);
}

/** The fields in a fixed order: another one would be another hash. */
export function hashLink(previous: string, link: AuditLink): string {
  const fields = [
    link.seq,
    link.id,
    link.atMs,
    link.actorKind,
    link.actorId,
    link.action,
    link.targetType,
    link.targetId,
    link.accountId,
    link.outcome,
    link.route,
    link.requestId,
    link.reason,
    link.actorDigest,
    link.targetDigest,
    link.changeDigest,
  ];
  return hash(`${previous} ${JSON.stringify(fields)}`);
}

/** Three random salts, one for each part. */
export type Salts = readonly [actor: string, target: string, change: string];

/** An entry as it waits, which another version may have written. */
export interface WaitingEntry extends Omit<AuditEntry, "act" | "action" | "target"> {
  readonly act: Omit<Act, "actor"> & {
    readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  };
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string; readonly name: string };
}

/** Returns the entry as the chain's next row. */
export function chainEntry(head: AuditHead, entry: WaitingEntry, salts: Salts): AuditRow {
  const { act, target, before, after } = entry;
  const [actorSalt, targetSalt, changeSalt] = salts;
  const detail: AuditDetail = {
    actorSalt,
    actorName: act.actor.name,
    address: act.address,
    agent: act.agent,
    targetSalt,
    targetName: target.name,
    changeSalt,
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
  };
  const link: AuditLink = {
    seq: head.seq + 1,
    id: entry.id,
    atMs: entry.atMs,
    actorKind: act.actor.kind,
    actorId: act.actor.id,
    action: entry.action,
    targetType: target.type,
    targetId: target.id,
    accountId: entry.accountId,
    outcome: entry.outcome,
    route: act.route,
    requestId: act.requestId,
    reason: entry.reason,
    actorDigest: digestActor(detail, actorSalt),
    targetDigest: digestTarget(detail, targetSalt),
    changeDigest: digestChange(detail, changeSalt),
  };
  return { ...link, ...detail, hash: hashLink(head.hash, link) };
}

/** True if what stands beside the link is what was chained, as far as it hasn't been erased. */
export function matchesDigests(row: AuditRow): boolean {
  const { actorSalt, targetSalt, changeSalt } = row;
  return (
    (actorSalt === null || digestActor(row, actorSalt) === row.actorDigest) &&
    (targetSalt === null || digestTarget(row, targetSalt) === row.targetDigest) &&
    (changeSalt === null || digestChange(row, changeSalt) === row.changeDigest)
  );
}

/** Returns the target of the row that stands for all deleted ones, up to this one. */
export function nameCheckpoint({ seq, hash }: AuditHead): AuditTarget {
  return { type: "audit", id: `${seq}.${hash}`, name: "" };
}

/** The reverse. Null if it isn't one. */
export function readCheckpoint(targetId: string): AuditHead | null {
  const [, seq, hash = ""] = /^(\d+)\.([0-9a-f]{64})$/.exec(targetId) ?? [];
  return seq === undefined ? null : { seq: Number(seq), hash };
}

/** Rows must match every field given. */
export interface AuditFilter {
  /** The actor's id. */
  readonly actor?: string | undefined;
  /** An action, or its noun for all actions of it. */
  readonly action?: string | undefined;
  /** The target's type or id. */
  readonly target?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly accountId?: string | undefined;
  /** From `fromMs` (inclusive) to `toMs` (exclusive). */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** The accounts whose rows are seen. Null for all rows, also those that concern no account. */
  readonly accountIds: readonly string[] | null;
}

/** The store's methods on the audit log. Each is one transaction, as in `Store`. */
export interface AuditLogStore {
  /** Puts on record what has no transaction of its own. */
  add(entries: readonly AuditEntry[]): Promise<void>;
  /**
   * Chains up to this many waiting entries, oldest first, each once over all nodes. Returns the rows that this call
   * added, none if another node was faster. Null if no entry was waiting: only then are all of them chained.
   */
  chain(most: number): Promise<readonly AuditRow[] | null>;
  /** Newest first, up to this many, before the row with that `seq`. */
  rows(
    filter: AuditFilter,
    page: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly AuditRow[]>;
  /** In the chain's order, from that `seq` on, up to this many. */
  rowsFrom(seq: number, most: number): Promise<readonly AuditRow[]>;
  /** `CHAIN_START` if there are none. */
  head(): Promise<AuditHead>;
  /**
   * Deletes up to this many of the first rows, if they are from before a time (Unix milliseconds), and chains `makeEntry`
   * of the last one. Returns the number deleted.
   */
  prune(beforeMs: number, rowsMax: number, makeEntry: (last: AuditHead) => AuditEntry): Promise<number>;
}
