// Stored replies for requests with the same Idempotency-Key: claimed with the hold, filled or freed by settlement.
import type { Admission, Answer, Settlement } from "../../../src/core/demand.ts";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { KeptReply } from "../../../src/core/log/kept.ts";
import type { Hold } from "../../../src/core/rows.ts";
import type { Books } from "./books.ts";

/** A stored reply expires after 24 hours. */
export const REPLY_KEPT_MS = 24 * 3_600_000;
/** Sealed replies stored per account, in characters: about 250 MB. */
const KEPT_CHARACTERS_MAX = 256 * 1024 * 1024;

/** Returns the time (Unix milliseconds) before which the log's rows go: each outlives its reply, which says what it paid. */
export function findOldestRow(nowMs: number, keepMs: number): number {
  return nowMs - Math.max(keepMs, REPLY_KEPT_MS);
}

/** Returns the earlier answer to the same Idempotency-Key. Null if none is stored. */
export function findEarlierAnswer(books: Books, { nowMs, idempotency }: Admission): Answer | null {
  if (idempotency === null) return null;
  const reply = books.replies.get(idempotency.replyId);
  if (reply === null || isForgotten(reply, nowMs)) return null;
  if (reply.bodyDigest !== idempotency.bodyDigest) {
    return refused("idempotency_mismatch", "This Idempotency-Key was already used with a different body.");
  }
  if (reply.state === "pending") return { kind: "pending", id: reply.requestId };
  if (reply.sealed !== null) return { kind: "replayed", sealed: reply.sealed };
  return refused(
    "idempotency_unavailable",
    "The answer to this Idempotency-Key was too large to store, or was incomplete. The request is not repeated: use a new key to repeat it.",
  );
}

function refused(code: "idempotency_mismatch" | "idempotency_unavailable", message: string): Answer {
  return { kind: "refused", fault: new Fault(code, message, { param: "Idempotency-Key" }) };
}

function isForgotten(reply: KeptReply, nowMs: number): boolean {
  return reply.state !== "pending" && nowMs - reply.atMs >= REPLY_KEPT_MS;
}

/** Claims the Idempotency-Key for the admitted request. */
export function claimReply(books: Books, demand: Admission): void {
  const { id: requestId, accountId, nowMs: atMs, idempotency } = demand;
  if (idempotency === null) return;
  const { replyId: id, bodyDigest } = idempotency;
  put(books, { accountId, id, bodyDigest, requestId, atMs, state: "pending", sealed: null });
}

/** Stores the reply. `sealed` is null if it can't be repeated. */
export function fillReply(books: Books, hold: Hold, sealed: string | null, atMs: number): void {
  const pending = findClaim(books, hold);
  if (!pending) return;
  fill(books, { ...pending, atMs }, sealed);
}

function fill(books: Books, reply: Omit<KeptReply, "state" | "sealed">, sealed: string | null): void {
  const kept = books.account(reply.accountId).keptCharacters + (sealed?.length ?? 0);
  const isKept = sealed !== null && kept <= KEPT_CHARACTERS_MAX;
  put(books, isKept ? { ...reply, state: "kept", sealed } : { ...reply, state: "unavailable", sealed: null });
}

/**
 * Stores the reply of a request that was given up as lost, which had freed its key. False if another completion has
 * taken the key since: its answer is the one that is repeated.
 */
export function keepLateReply(
  books: Books,
  { idempotency, record, accountId, nowMs: atMs, produced, sealedReply }: Settlement,
): boolean {
  if (idempotency === null) return true;
  const { replyId: id, bodyDigest } = idempotency;
  const taken = books.replies.get(id);
  if (taken !== null && taken.requestId !== record.id && !isForgotten(taken, atMs)) return false;
  if (produced) {
    fill(books, { accountId, id, bodyDigest, requestId: record.id, atMs }, sealedReply);
  }
  return true;
}

/** Frees the key of a request that produced nothing: a repeat is served normally. */
export function freeReply(books: Books, hold: Hold): void {
  const pending = findClaim(books, hold);
  if (pending) books.replies.remove(pending);
}

function findClaim(books: Books, { id, replyId }: Hold): KeptReply | null {
  const reply = replyId === null ? null : books.replies.get(replyId);
  return reply?.requestId === id ? reply : null;
}

function put(books: Books, reply: KeptReply): void {
  const before = books.replies.get(reply.id)?.sealed?.length ?? 0;
  const after = reply.sealed?.length ?? 0;
  books.replies.put(reply);
  if (before === after) return;
  const account = books.account(reply.accountId);
  const keptCharacters = Math.max(0, account.keptCharacters + after - before);
  books.accounts.put(account.id, { ...account, keptCharacters });
}
