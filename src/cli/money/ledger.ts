// `poundkey ledger`: verifies the books, also while a gateway runs on the same store.
import { addUp, type BookProblem, listProblems } from "../../admin/money/verify.ts";
import { showProgress } from "../../app/workers/progress.ts";
import type { Audit } from "../../core/books/audit.ts";
import { formatPlainUsd } from "../../core/money/money.ts";
import type { Store } from "../../core/store.ts";
import { formatCount, formatJson, makeCommand, type StoreCall } from "../administration.ts";
import { formatTable } from "../table.ts";
import { RERATE_FLAGS, rerateMonth } from "./rerate.ts";

const HELP = `usage: poundkey ledger verify [--json]
       poundkey ledger rerate --month MONTH [--account ACCOUNT] [--apply] [--json]

verify checks the store's file, if it is one, and verifies the books: each balance is the sum of its journal, each held amount
belongs to open requests, no entry is missing or changed, and all accounts add up to zero. Otherwise prints what is wrong and exits with 1.

rerate shows what each account's requests of a month would have been charged at the prices that the catalogue and the
configuration have for their times now. With --apply it adjusts the balances by the difference, once. A month whose
statement is closed, a day after its end, isn't re-rated. Requests stay as they were charged, and so do budgets.

  --month MONTH             the month, such as 2026-11
  --account ACCOUNT         only that account, by its id or name
  --apply                   make the adjustments
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey ledger verify --store sqlite:/var/lib/poundkey/.poundkey/poundkey.db
  poundkey ledger rerate --month 2026-11`;

export const runLedger = makeCommand(HELP, {
  verify: { needs: "store", run: verify },
  rerate: { run: rerateMonth, flags: RERATE_FLAGS },
});

async function verify({ isJson, io, open }: StoreCall): Promise<void> {
  const { store } = await open();
  const { audit, problems } = await verifyBooks(store);
  io.out(isJson ? formatJson(report(audit, problems)) : formatReport(audit, problems));
  if (problems.length > 0)
    throw new Error(`The books do not balance: ${formatCount(problems.length, "problem")}.`);
}

interface VerifiedBooks {
  readonly audit: Audit;
  readonly problems: readonly BookProblem[];
}

/** Checks the file and adds up the books. Throws an Error if the file is damaged. */
export async function verifyBooks(store: Pick<Store, "findDamage" | "audit">): Promise<VerifiedBooks> {
  const damage = await showProgress({ what: "checking the file", all: null }, () => store.findDamage());
  if (damage !== null) throw new Error(`The store's file is damaged: ${damage}`);
  const audit = await showProgress({ what: "adding up the books", all: null }, () => store.audit());
  return { audit, problems: listProblems(audit) };
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

/** Returns the sizes of the books with the verdict, or a line for each problem. */
export function formatVerdict({ audit, problems }: VerifiedBooks): readonly string[] {
  const size = `${formatCount(audit.accounts.length, "account")}, ${formatCount(countEntries(audit), "entry", "entries")}`;
  return problems.length === 0 ? [`${size}: the books balance.`] : problems.map(formatProblem);
}

function formatReport(audit: Audit, problems: readonly BookProblem[]): string {
  return [
    ...formatVerdict({ audit, problems }),
    "",
    formatTable(listSums(audit).map(([name, sum]) => [name, `${sum} USD`])),
  ].join("\n");
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
  return Object.entries(sums).map(([name, sum]) => [name, formatPlainUsd(sum)]);
}
