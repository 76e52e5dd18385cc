// The first day of a demo's company: accounts, people, keys.
import { ACCOUNTS, type CompanyKey, KEYS, PEOPLE } from "../../../simulator/company.ts";
import type { Maker } from "./maker.ts";

export interface MadeKey extends CompanyKey {
  readonly id: string;
  readonly secret: string;
}

export interface Company {
  /** The ids of accounts by their names. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly keys: readonly MadeKey[];
}

export async function foundCompany(maker: Maker): Promise<Company> {
  await addPeople(maker);
  const accounts = await addAccounts(maker);
  await giveRoles(maker, accounts);
  return { accounts, keys: await addKeys(maker, accounts) };
}

/** Everybody signs in for the first time. */
async function addPeople(maker: Maker): Promise<void> {
  for (const { name } of PEOPLE) {
    await maker.signIn(name);
    maker.clock.pass(1000);
  }
}

async function addAccounts(maker: Maker): Promise<ReadonlyMap<string, string>> {
  const accounts = new Map<string, string>();
  await maker.admin("PATCH", "/accounts/default", { name: "Visitors of the demo" });
  await maker.admin("POST", "/accounts/default/topups", {
    amount_usd: VISITORS_USD,
    note: "For whoever looks around",
  });
  for (const { name, title, deposit, fields } of ACCOUNTS) {
    const id = String((await maker.admin("POST", "/accounts", { name: title, ...fields })).id);
    await maker.admin("POST", `/accounts/${id}/topups`, { amount_usd: deposit, note: "First deposit" });
    accounts.set(name, id);
    maker.clock.pass(60_000);
  }
  return accounts;
}

/** No account of the company pays for visitors' requests. */
const VISITORS_USD = 1000;

async function giveRoles(maker: Maker, accounts: ReadonlyMap<string, string>): Promise<void> {
  for (const { name, role, accounts: within } of PEOPLE) {
    const ids = within?.map((account) => accounts.get(account) ?? "") ?? null;
    await maker.admin("PATCH", `/members/${maker.people.get(name)}`, { role, accounts: ids });
    maker.clock.pass(20_000);
  }
}

async function addKeys(maker: Maker, accounts: ReadonlyMap<string, string>): Promise<readonly MadeKey[]> {
  const keys: MadeKey[] = [];
  for (const key of KEYS) {
    const { name, account, person, fields } = key;
    const body = { name, account_id: accounts.get(account), ...fields };
    const made =
      person === undefined
        ? await maker.as("Ada Moreira", "POST", "/keys", body)
        : await maker.as(person, "POST", "/keys", { ...body, kind: "personal" });
    keys.push({ ...key, id: String(made.id), secret: String(made.secret) });
    maker.clock.pass(90_000);
  }
  return keys;
}
