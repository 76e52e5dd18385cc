// The entries of things that are gone afterwards: files, and the sessions of a person.
import type { AuditFacts } from "../../core/audit/audit-log.ts";
import type { RowChange } from "../../core/changes.ts";

export function describeFile({ before }: Extract<RowChange, { kind: "file" }>): AuditFacts | null {
  if (before === null) return null;
  const { id, name, owner, purpose, bytes } = before;
  const about = { target: { type: "file", id, name }, accountId: owner.accountId } as const;
  return { action: "file.deleted", ...about, before: { purpose, bytes } };
}

export function describeSessions({
  memberId,
  ended,
  reason,
}: Extract<RowChange, { kind: "sessions" }>): AuditFacts {
  const target = { type: "session", id: memberId, name: "" } as const;
  return { action: "session.ended", target, reason, after: { sessions: ended } };
}
