// The audit log's regular tasks: chains what waits, logs it, notes the chain's end, and deletes rows after `audit.keep`.

import { auditView } from "../../admin/audit/audit.ts";
import { makeEntry } from "../../admin/audit/audit-trail.ts";
import { nameCheckpoint } from "../../core/audit/audit-log.ts";
import { GATEWAY } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import type { Clock, Log, Random } from "../../core/world/world.ts";

const CHAINED_AT_ONCE = 100;
const ROWS_MAX = 2000;
const DAY_MS = 86_400_000;

export interface AuditUpkeepParts {
  readonly store: Pick<Store, "auditLog">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly random: Random;
  readonly log: Log;
  /** Returns how long rows are kept. Called each time, because a reload may change it. */
  readonly auditKeepMs: () => number;
}

/** Each row is logged by the node that chained it. */
export async function chainAudit({ store, log }: AuditUpkeepParts): Promise<void> {
  for (;;) {
    const rows = await store.auditLog.chain(CHAINED_AT_ONCE);
    if (rows === null) return;
    for (const row of rows) log({ ...auditView(row), event: "audit", level: "info", seq: row.seq });
  }
}

/** Deletes at most once a day, because each time adds a row. */
export async function pruneAudit({ store, clock, random, auditKeepMs }: AuditUpkeepParts): Promise<void> {
  const nowMs = clock.nowMs();
  const last = await store.auditLog.rows(
    { action: "audit.pruned", accountIds: null, fromMs: nowMs - DAY_MS },
    { limit: 1, before: null },
  );
  if (last.length > 0) return;
  const prune = () =>
    store.auditLog.prune(nowMs - auditKeepMs(), ROWS_MAX, (deleted) =>
      makeEntry({ clock, random }, GATEWAY, { action: "audit.pruned", target: nameCheckpoint(deleted) }),
    );
  while ((await prune()) === ROWS_MAX);
}

/** A line to keep elsewhere: a chain that was rewritten as a whole ends in another hash. */
export async function logAuditHead({ store, log }: AuditUpkeepParts): Promise<void> {
  const { seq, hash } = await store.auditLog.head();
  if (seq > 0) log({ event: "audit_head", level: "info", seq, hash });
}
