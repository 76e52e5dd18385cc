// `poundkey accounts`: adds, lists, tops up and shows accounts, also while a gateway runs on the same store.

import { readInput } from "../../admin/input.ts";
import { readAliasNames } from "../../admin/models/aliases.ts";
import {
  type AccountView,
  accountSchema,
  createAccount,
  getAccount,
  listAccounts,
  newAccountSchema,
} from "../../admin/money/accounts.ts";
import { type EntryView, entrySchema, listJournal } from "../../admin/money/journal.ts";
import { topUpAccount, topUpSchema } from "../../admin/money/topups.ts";
import { readSortCosts } from "../../admin/sort-costs.ts";
import type { ActingWorld } from "../../admin/world.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { ACCOUNT } from "../../core/things/account.ts";
import { STOP_OLDER, STOP_OLDER_HELP } from "../act.ts";
import {
  type Call,
  formatJson,
  formatUsd,
  makeCommand,
  printList,
  requireOne,
  type StoreCall,
  warnOfNamesake,
} from "../administration.ts";
import { STORE_OR_GATEWAY, UsageError } from "../arguments.ts";
import { describeFlags, listFlags, readFlags } from "../field-flags.ts";
import { makePageReader, makeReader } from "../gateway/ask.ts";
import { ACCOUNT_NAMING, findId } from "../gateway/names.ts";
import { describeSorts, readSort, SORT } from "../sorting.ts";
import { formatTable, WIDE, WIDE_HELP } from "../table.ts";

const HELP = `usage: poundkey accounts add --name NAME [--json]
       poundkey accounts list [--sort COLUMN] [--wide] [--json]
       poundkey accounts topup ACCOUNT AMOUNT [--note TEXT] [--confirm AMOUNT] [--idempotency-key KEY] [--json]
       poundkey accounts show ACCOUNT [--wide] [--json]

Accounts pay for the requests of their keys. The account "default" always exists. \`show\` also prints the latest journal
entries of an account. ACCOUNT may also be funding (where top-ups come from), revenue (what was earned), overrun (what
was written off) or receivable (what accounts owe after refunds and disputes).

${describeFlags(ACCOUNT_FIELDS)}
  ACCOUNT                   its id, or the name that only one has
  AMOUNT                    in USD, such as 25 or 0.5, with up to nine decimals
  --note TEXT               a note on the top-up, stored in the journal
  --confirm AMOUNT          the same amount again, required above 10000
  --idempotency-key KEY     calls with the same key top up only once
${describeSorts("accounts")}
${STOP_OLDER_HELP}
${WIDE_HELP}
  --json                    print JSON
${STORE_OR_GATEWAY}

examples:
  poundkey accounts add --name Search --budget 2000/month
  poundkey accounts topup acct_5b1e 25 --note "invoice 17"
  poundkey accounts show default`;

const TOPUP_FLAGS = { note: "value", confirm: "value", "idempotency-key": "value" } as const;

export const runAccounts = makeCommand(HELP, {
  add: { run: add, flags: { ...listFlags(ACCOUNT_FIELDS), ...STOP_OLDER }, opening: "make" },
  list: { run: list, flags: { ...SORT, ...WIDE }, needs: "store" },
  topup: { run: topup, flags: TOPUP_FLAGS, words: ["ACCOUNT", "AMOUNT"], opening: "make", needs: "store" },
  show: { run: show, flags: WIDE, words: ["ACCOUNT"], needs: "store" },
});

const readAccount = makeReader(accountSchema);
const readPage = makePageReader(readAccount);
const readEntries = makePageReader(makeReader(entrySchema));

async function add(call: Call): Promise<void> {
  const { isJson, io, ask, settings } = call;
  const fields = readInput(newAccountSchema, readFlags(ACCOUNT_FIELDS, call));
  const account = await ask({
    route: ACCOUNT.actions.make,
    body: fields,
    read: readAccount,
    here: async (world) => {
      const aliasNames = await readAliasNames(world.store, settings.aliases);
      return createAccount({ ...world, aliasNames }, fields);
    },
  });
  await warnOfNamesake(call, ACCOUNT_NAMING, account);
  io.out(isJson ? formatJson(account) : `Created ${account.id} (${account.name}).`);
}

function list(call: StoreCall): Promise<void> {
  const { settings } = call;
  const order = readSort("accounts", call);
  const dayRules = () => settings.quota;
  const askPage = (after: string | undefined) => ({
    route: ACCOUNT.actions.list,
    query: { ...order, after },
    read: readPage,
    here: (world: ActingWorld) =>
      listAccounts(
        world,
        { ...order, ...(after ? { after } : {}) },
        undefined,
        readSortCosts({ ...world, dayRules }),
      ),
  });
  return printList(call, { askPage, columns: COLUMNS, giveWay: GIVE_WAY, nothing: NONE, formatCells });
}

async function topup({ values, words, isJson, io, ask, settings }: StoreCall): Promise<void> {
  const [given, amount] = words;
  if (given === undefined || amount === undefined)
    throw new UsageError("expected an account's id or name, and an amount in USD");
  const confirmed = values.get("confirm");
  const body = readInput(topUpSchema, {
    amount_usd: parseUsd(amount),
    note: values.get("note"),
    ...(confirmed === undefined ? {} : { confirm_amount_usd: parseUsd(confirmed) }),
  });
  const idempotencyKey = values.get("idempotency-key") ?? null;
  const { timeZone } = settings.quota;
  const id = await findId(ask, ACCOUNT_NAMING, given);
  const account = await ask({
    route: ACCOUNT.actions.topUp,
    parts: { id },
    body,
    idempotencyKey,
    read: readAccount,
    here: (world) => topUpAccount({ ...world, timeZone }, id, body, idempotencyKey),
  });
  const summary = `Topped up ${account.id} (${account.name}) by ${formatUsd(Number(amount))} USD. The balance is now ${formatUsd(account.balance_usd)} USD.`;
  io.out(isJson ? formatJson(account) : summary);
}

/** Number() would round more than nine decimals. */
function parseUsd(amount: string): number {
  if (/^\d{1,7}(\.\d{1,9})?$/.test(amount)) return Number(amount);
  throw new UsageError(`expected an amount in USD such as 25 or 0.5, not '${amount}'`);
}

async function show({ words, isJson, io, ask }: StoreCall): Promise<void> {
  const given = requireOne(words, "one account's id or name, as shown by `poundkey accounts list`");
  const id = await findId(ask, ACCOUNT_NAMING, given);
  const parts = { id };
  const account = await ask({
    route: ACCOUNT.actions.read,
    parts,
    read: readAccount,
    here: (world) => getAccount(world, id),
  });
  const { data: journal } = await ask({
    route: { method: "GET", path: "/accounts/:id/journal" },
    parts,
    query: { limit: String(ENTRIES_SHOWN) },
    read: readEntries,
    here: (world) => listJournal(world, id, { limit: ENTRIES_SHOWN }),
  });
  if (isJson) return io.out(formatJson({ ...account, journal }));
  io.out(formatTable([COLUMNS, formatCells(account)], io, { giveWay: GIVE_WAY }));
  const entries = [ENTRY_COLUMNS, ...journal.map(formatEntryCells)];
  if (journal.length > 0) io.out(`\n${formatTable(entries, io, ENTRY_NARROWING)}`);
}

const COLUMNS = ["NAME", "ID", "BALANCE USD", "HELD USD", "CREATED"];
const GIVE_WAY = ["CREATED", "HELD USD", "ID"];
const NONE = "There are no accounts.";

function formatCells(account: AccountView): readonly string[] {
  const money = [formatUsd(account.balance_usd), formatUsd(account.held_usd)];
  return [account.name, account.id, ...money, account.created_at ?? "-"];
}

const ENTRIES_SHOWN = 10;
const ENTRY_COLUMNS = ["AT", "KIND", "AMOUNT USD", "BALANCE USD", "REQUEST", "ENDED", "NOTE"];
const ENTRY_NARROWING = { sentences: ["NOTE"], giveWay: ["ENDED", "REQUEST", "BALANCE USD"] };

function formatEntryCells(entry: EntryView): readonly string[] {
  const balance = entry.balance_usd === null ? "-" : formatUsd(entry.balance_usd);
  const about = [entry.completion_id, entry.ended, entry.reason ?? entry.note].map((one) => one ?? "-");
  return [entry.at, entry.kind, formatUsd(entry.amount_usd), balance, ...about];
}
