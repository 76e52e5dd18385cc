// The payers for whom a provider pauses, as its readers see them.
import { expect, test } from "bun:test";
import { listProviders } from "../../src/admin/models/providers.ts";
import type { ProviderHealth, Vitals } from "../../src/core/health/health.ts";
import type { Role } from "../../src/core/people/people.ts";
import { Access } from "../../src/people/access.ts";

const VITALS: Vitals = {
  breaker: "closed",
  openFor: "some",
  // The last one is nobody's: what is asked in no account's name.
  openPayers: ["acct_team mem_ann", "acct_team mem_ben", "acct_bots service:key_bot", ""],
  errorRate: null,
  inFlight: 0,
  firstTokenMs: null,
  tokensPerSecond: null,
};

const PROVIDER: ProviderHealth = {
  ...VITALS,
  name: "Acme",
  dialect: null,
  baseUrl: "",
  failingSinceMs: null,
  lastFailure: null,
  credentials: [],
  models: [{ ...VITALS, id: "Acme#m", asksAgainAtMs: null, absence: null }],
};

/** Returns what a person with this role in all accounts reads of the provider and of its model. */
function readAs(role: Role) {
  const ann = new Access({
    actor: { kind: "person", id: "mem_ann", name: "Ann" },
    grants: [{ role, accountId: null }],
    readsContent: false,
    memberId: "mem_ann",
    personId: "mem_ann",
    ends: null,
  });
  const { data } = listProviders(
    { health: () => [PROVIDER], fillable: () => [], added: () => [], switchedOff: () => [] },
    {},
    ann,
  );
  return data.flatMap(({ open_payers, models }) => [open_payers, ...models.map((one) => one.open_payers)]);
}

const OWN = { account_id: "acct_team", member_id: "mem_ann", key_id: null };

test("operators and admins see all payers for whom a model pauses", () => {
  const all = [
    OWN,
    { account_id: "acct_team", member_id: "mem_ben", key_id: null },
    { account_id: "acct_bots", member_id: null, key_id: "key_bot" },
  ];
  for (const role of ["operator", "admin"] as const) expect(readAs(role)).toEqual([all, all]);
});

test("other readers see only themselves among them", () => {
  for (const role of ["viewer", "manager", "billing"] as const) expect(readAs(role)).toEqual([[OWN], [OWN]]);
});
