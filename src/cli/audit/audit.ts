// `poundkey audit`: verifies the audit log's chain, also while a gateway runs on the same store.
import { verifyAuditLog } from "../../admin/audit/audit-verify.ts";
import { type AuditHead, nameCheckpoint, readCheckpoint } from "../../core/audit/audit-log.ts";
import { formatCount, formatJson, makeCommand, type StoreCall } from "../administration.ts";
import { UsageError } from "../arguments.ts";

const HELP = `usage: poundkey audit verify [--head NUMBER.HASH] [--json]

Verifies that no row of the audit log was changed, removed or inserted since it was written: each row's hash is of the
row and the one before it. Rows that were deleted after audit.keep, and names that were erased, don't break the chain.
Prints the last row's number and hash, as does each day a line 'audit_head' of the log. Anyone who can
write to the database could rewrite the whole chain: keep one of them elsewhere, and pass it as --head. Exits with 1 and
names the first row that is wrong.

  --head NUMBER.HASH        also verify that this row had this hash
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey audit verify`;

export const runAudit = makeCommand(HELP, {
  verify: { needs: "store", run: verify, flags: { head: "value" } },
});

async function verify({ values, isJson, io, open }: StoreCall): Promise<void> {
  const noted = readNoted(values.get("head"));
  const { store } = await open();
  const { rows, head, prunedUpTo, broken } = await verifyAuditLog(store.auditLog, noted);
  const pruned = prunedUpTo === 0 ? "" : ` Rows up to ${prunedUpTo} were deleted after audit.keep.`;
  const shown = { intact: broken === null, rows, head, pruned_up_to: prunedUpTo, broken };
  if (isJson) io.out(formatJson(shown));
  else if (broken === null)
    io.out(
      `${formatCount(rows, "row")}: the chain is intact.${pruned} It ends in ${nameCheckpoint(head).id}`,
    );
  if (broken !== null) throw new Error(`The audit log is broken at row ${broken.seq}: ${broken.cause}.`);
}

function readNoted(text: string | undefined): AuditHead | undefined {
  if (text === undefined) return undefined;
  const noted = readCheckpoint(text);
  if (noted === null) throw new UsageError("--head must be a row's number, a dot and its hash of 64 digits");
  return noted;
}
