// `poundkey audit`: verifies the audit log's chain, also while a gateway runs on the same store.
import { verifyAuditLog } from "../admin/audit-verify.ts";
import { type Call, formatCount, formatJson, makeCommand } from "./administration.ts";

const HELP = `usage: poundkey audit verify [--json]

Verifies that no row of the audit log was changed, removed or inserted since it was written: each row's hash is of the
row and the one before it. Rows that were deleted after audit.keep, and names that were erased, don't break the chain.
Prints the last row's number and hash. Compare them with a line 'audit_head' of the log that is kept elsewhere: the
chain alone can't show that all of it was rewritten. Exits with 1 and names the first row that is wrong.

  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\``;

export const runAudit = makeCommand(HELP, { verify: { run: verify } });

async function verify({ isJson, io, open }: Call): Promise<void> {
  const { store } = await open();
  const { rows, head, prunedUpTo, broken } = await verifyAuditLog(store.auditLog);
  const pruned = prunedUpTo === 0 ? "" : ` Rows up to ${prunedUpTo} were deleted after audit.keep.`;
  const shown = { intact: broken === null, rows, head, pruned_up_to: prunedUpTo, broken };
  if (isJson) io.out(formatJson(shown));
  else if (broken === null)
    io.out(
      `${formatCount(rows, "row")}: the chain is intact.${pruned} Row ${head.seq} ends it: ${head.hash}`,
    );
  if (broken !== null) throw new Error(`The audit log is broken at row ${broken.seq}: ${broken.cause}.`);
}
