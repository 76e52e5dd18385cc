// Proves the audit log's hash chain: each row follows from the one before, from the start or the last checkpoint on.

import {
  type AuditHead,
  type AuditLogStore,
  type AuditRow,
  CHAIN_START,
  hashLink,
  matchesDigests,
  readCheckpoint,
} from "../../core/audit/audit-log.ts";

const ROWS_AT_ONCE = 500;

interface Break {
  readonly seq: number;
  readonly cause: string;
}

interface AuditVerdict {
  /** The rows that were looked at. */
  readonly rows: number;
  /** The last row that follows from all before, to be compared with one noted elsewhere, such as in the log. */
  readonly head: AuditHead;
  /** The rows up to this one were deleted after `audit.keep`. 0 if none were. */
  readonly prunedUpTo: number;
  /** The first row that is wrong, and why. Null if there is none. */
  readonly broken: Break | null;
}

/**
 * Reads the whole log, also while rows are added to it. `noted` is an end of the chain that was kept elsewhere: the rows
 * up to it can't be rewritten without a trace.
 */
export async function verifyAuditLog(auditLog: AuditLogStore, noted?: AuditHead): Promise<AuditVerdict> {
  const verdict = await followChain(auditLog, await findStart(auditLog), noted);
  // Rows that were deleted in the meantime looked as if they were missing.
  const start = verdict.broken === null ? null : await findStart(auditLog);
  return start === null || start.seq === verdict.prunedUpTo ? verdict : followChain(auditLog, start, noted);
}

/** Returns the last deleted row, as the chained row says that stands for it. */
async function findStart(auditLog: AuditLogStore): Promise<AuditHead> {
  const newest = { limit: 1, before: null };
  const [row] = await auditLog.rows({ action: "audit.pruned", accountIds: null }, newest);
  return (row && readCheckpoint(row.targetId)) ?? CHAIN_START;
}

async function followChain(
  auditLog: AuditLogStore,
  start: AuditHead,
  noted?: AuditHead,
): Promise<AuditVerdict> {
  const prunedUpTo = start.seq;
  let head = start;
  let rows = 0;
  let from = 0;
  const isOther = noted?.seq === start.seq && noted.hash !== start.hash;
  if (isOther) return { rows, head, prunedUpTo, broken: { seq: start.seq, cause: OTHER } };
  for (;;) {
    const found = await auditLog.rowsFrom(from, ROWS_AT_ONCE);
    for (const row of found) {
      const broken = findBreak(head, row, noted);
      if (broken !== null) return { rows, head, prunedUpTo, broken };
      head = { seq: row.seq, hash: row.hash };
      rows++;
    }
    from = head.seq + 1;
    if (found.length > 0) continue;
    // Read after the rows, so it is never behind them.
    const end = await auditLog.head();
    const isBehind = end.seq > head.seq && (await auditLog.rowsFrom(from, 1)).length > 0;
    if (!isBehind) return { rows, head, prunedUpTo, broken: compareEnds(head, end, noted) };
  }
}

const OTHER = "it isn't the row that was noted";

/** Returns the reason why a row doesn't follow from the one before, or isn't the one that was noted. */
function findBreak(last: AuditHead, row: AuditRow, noted?: AuditHead): Break | null {
  const { seq } = row;
  if (seq <= last.seq) return { seq, cause: "it is from before the last checkpoint" };
  if (seq !== last.seq + 1) return { seq: last.seq + 1, cause: "it is missing" };
  if (seq === noted?.seq && row.hash !== noted.hash) return { seq, cause: OTHER };
  if (hashLink(last.hash, row) !== row.hash) return { seq, cause: "it or the row before it was changed" };
  if (matchesDigests(row)) return null;
  return { seq, cause: "a name, an address or a changed field beside it was changed" };
}

/** Returns what is wrong with the last row if it isn't the one that the chain was last extended with. */
function compareEnds(head: AuditHead, end: AuditHead, noted: AuditHead = CHAIN_START): Break | null {
  if (Math.max(end.seq, noted.seq) > head.seq)
    return { seq: head.seq + 1, cause: "it is missing at the end" };
  if (end.seq < head.seq) return { seq: end.seq + 1, cause: "it was added past the end" };
  return end.hash === head.hash ? null : { seq: end.seq, cause: "it isn't the row that was added last" };
}
