// `poundkey ledger`: verifies the books, also while a gateway runs on the same store.
import { formatNanoUsd } from "../admin/format.ts";
import { addUp, type BookProblem, listProblems } from "../admin/verify.ts";
import type { Audit } from "../core/audit.ts";
import { type Call, formatCount, formatJson, formatTable, makeCommand } from "./administration.ts";

const HELP = `usage: poundkey ledger verify [--json]

Checks the store's file, if it is one, and verifies the books: each balance is the sum of its journal, each held amount belongs to open requests, no entry is
missing or changed, and all accounts add up to zero. Otherwise prints what is wrong and exits with 1.

  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey ledger verify --store sqlite:/var/lib/poundkey/.poundkey/poundkey.db`;

export const runLedger = makeCommand(HELP, { verify: { run: verify } });

async function verify({ isJson, io, open }: Call): Promise<void> {
  const { store } = await open();
  const damage = await store.findDamage();
  if (damage !== null) throw new Error(`The store's file is damaged: ${damage}`);
  const audit = await store.audit();
  const problems = listProblems(audit);
  io.out(isJson ? formatJson(report(audit, problems)) : formatReport(audit, problems));
  if (problems.length > 0)
    throw new Error(`The books do not balance: ${formatCount(problems.length, "problem")}.`);
}

/** Sums are texts, because JSON numbers aren't exact to a nano-dollar. */
function report(audit: Audit, problems: readonly BookProblem[]) {
  return {
    balanced: problems.length === 0,
    accounts: audit.accounts.length,
    entries: countEntries(audit),
    sums_usd: Object.fromEntries(listSums(audit)),
    problems,
  };
}

function formatReport(audit: Audit, problems: readonly BookProblem[]): string {
  const size = `${formatCount(audit.accounts.length, "account")}, ${formatCount(countEntries(audit), "entry", "entries")}`;
  const verdict = problems.length === 0 ? [`${size}: the books balance.`] : problems.map(formatProblem);
  return [...verdict, "", formatTable(listSums(audit).map(([name, sum]) => [name, `${sum} USD`]))].join("\n");
}

function formatProblem({ account, what, found, expected, unit, by }: BookProblem): string {
  const amount = (value: string) => (unit === null ? value : `${value} ${unit}`);
  return `${account ?? "all accounts"}: ${what} ${amount(found)}, expected ${amount(expected)} (${by})`;
}

function countEntries({ accounts, strayEntries }: Audit): number {
  return accounts.reduce((sum, { journalEntries }) => sum + journalEntries, strayEntries);
}

function listSums(audit: Audit): readonly (readonly [name: string, usd: string])[] {
  const { balances, held, system } = audit;
  const sums = { balances, held, ...system, sum: addUp(audit) };
  return Object.entries(sums).map(([name, sum]) => [name, formatNanoUsd(sum)]);
}
