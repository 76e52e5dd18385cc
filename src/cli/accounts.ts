// `poundkey accounts`: makes, lists and shows accounts, also while a gateway runs on the same store.
import { parseArgs } from "node:util";
import { type AccountView, createAccount, getAccount, listAccounts } from "../admin/accounts.ts";
import {
  allOf,
  type Call,
  type Io,
  jsonOf,
  type Opened,
  only,
  runCommand,
  tableOf,
} from "./administration.ts";

const HELP = `usage: poundkey accounts add --name NAME [--json]
       poundkey accounts list [--json]
       poundkey accounts show ID [--json]

Accounts: who pays for the keys. The account "default" is always there.

  --name NAME               what to call the account
  --json                    print JSON
  --config FILE, --store S  as for the gateway`;

export function runAccounts(args: readonly string[], io: Io, open: () => Promise<Opened>): Promise<number> {
  return runCommand({ help: HELP, actions: { add, list, show } }, args, io, open);
}

async function add({ args, io, open }: Call): Promise<void> {
  const { values } = parseArgs({ args, options: { name: { type: "string" }, json: { type: "boolean" } } });
  const account = await createAccount(await open(), { name: values.name });
  io.out(values.json ? jsonOf(account) : `Made ${account.id} (${account.name}).`);
}

async function list({ args, io, open }: Call): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: "boolean" } } });
  const world = await open();
  const accounts = await allOf((query) => listAccounts(world, query));
  io.out(values.json ? jsonOf(accounts) : tableOf([COLUMNS, ...accounts.map(cellsOf)]));
}

async function show({ args, io, open }: Call): Promise<void> {
  const options = { json: { type: "boolean" } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const id = only(positionals, "the id of one account, as `poundkey accounts list` shows it");
  const account = await getAccount(await open(), id);
  io.out(values.json ? jsonOf(account) : tableOf([COLUMNS, cellsOf(account)]));
}

const COLUMNS = ["ID", "NAME", "BALANCE USD", "HELD USD", "CREATED"];

function cellsOf(account: AccountView): readonly string[] {
  return [
    account.id,
    account.name,
    String(account.balance_usd),
    String(account.held_usd),
    account.created_at,
  ];
}
