// `poundkey check` on rules and groups of a directory that don't meet, and the warning of a directory's token that ends.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actAs } from "../../src/admin/audit/audit-trail.ts";
import { createGroup } from "../../src/admin/people/directory-groups.ts";
import { createAnyToken } from "../../src/admin/people/directory-tokens.ts";
import { revokeToken } from "../../src/admin/people/named-tokens.ts";
import { readAccountNames, readGroupNames } from "../../src/app/start/account-names.ts";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { warnOfExpiringTokens } from "../../src/app/upkeep/expiring-tokens.ts";
import { runCheck } from "../../src/cli/start/check.ts";
import { TESTER } from "../harness/acting.ts";
import { readFrom } from "../harness/settings.ts";
import { makeNode, makeRules } from "../people/directory/node.ts";

const DAY_MS = 86_400_000;
let directory: string;
let address: string;
let opened: OpenedStore;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "poundkey-check-"));
  address = `sqlite:${join(directory, "poundkey.db")}`;
  opened = await openStore(address, Buffer.alloc(32, 5).toString("base64"));
  await opened.store.beat();
});
afterAll(async () => {
  await opened.store.close();
  rmSync(directory, { recursive: true });
});

async function check(scim = "scim: { on: true }"): Promise<readonly string[]> {
  const yaml = `store: "${address}"
server: { public_url: "https://gateway.example" }
member_defaults: { budgets: [{ usd: 5, per: month }] }
${scim}
sign_in: { oidc: { issuer: "https://login.example.com", client_id: a, client_secret: b, allow: { domains: [example.com] }, rules: [
  { group: search, role: member }, { group: oid-1, role: member }, { group: Gone, role: member }, { group: "*", role: member } ] } }`;
  const said: string[] = [];
  const io = { out: () => {}, err: (text: string) => said.push(text) };
  const code = await runCheck([], io, {
    env: () => undefined,
    known: [],
    readFile: readFrom({}),
    readConfig: readFrom({ "poundkey.yaml": yaml }),
    probe: async () => [],
    probeIssuer: async () => "",
    exposedFiles: () => [],
    accountNames: readAccountNames,
    groupNames: readGroupNames,
    schema: async () => null,
    version: async () => "",
  });
  expect([code, said]).toEqual([0, said]);
  return said.filter((line) => line.includes("group"));
}

test("names rules that no group meets, and groups that no rule meets, once the directory has any", async () => {
  expect(await check()).toEqual([]);
  const node = makeNode(opened.store, () => makeRules([]), Date.now, { pepper: opened.world.pepper });
  await createGroup(node, { displayName: "search", externalId: "oid-0" });
  await createGroup(node, { displayName: "Ranking", externalId: "oid-1" });
  for (let at = 0; at < 12; at++)
    await createGroup(node, { displayName: `Other ${at}`, externalId: `x-${at}` });
  const [unmet = "", without = "", ...more] = await check();
  expect(unmet).toBe(
    "warning: sign_in.oidc.rules[2].group: the directory has no group 'Gone', so the rule goes by the claims of the sign-in alone",
  );
  expect(without).toContain(
    "no rule names these groups of the directory, which give nobody a role: 'Other 0', ",
  );
  expect(without).toEndWith(" and 2 more");
  expect(more).toEqual([]);
  expect(await check("scim: { on: false }")).toEqual([]);
});

test("a directory's token is told of a month before its end, once, unless it is revoked", async () => {
  const { store } = opened;
  let nowMs = Date.now();
  const clock = { nowMs: () => nowMs };
  const world = actAs({ ...opened.world, clock }, TESTER);
  const make = (name: string, days: number) => {
    const kind = "scim" as const;
    const given = { name, kind, expires_at: new Date(nowMs + days * DAY_MS).toISOString() };
    return createAnyToken(world, given);
  };
  const told: unknown[] = [];
  const tell = async () => {
    await warnOfExpiringTokens({ store, clock });
    const events = await store.takeEvents(nowMs, 100);
    told.push(...events.flatMap(({ type, data }) => (type === "token.expiring" ? [data.name] : [])));
  };
  await tell();
  await make("entra", 60);
  const { id } = await make("old", 60);
  await make("soon", 20);
  await revokeToken(world, id);
  for (let day = 0; day < 29; day += 7) {
    nowMs = nowMs + 7 * DAY_MS;
    await tell();
  }
  expect(told).toEqual(["entra"]);
  await tell();
  expect(told).toEqual(["entra"]);
});
