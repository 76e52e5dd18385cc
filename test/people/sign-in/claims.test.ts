// The claims that let a person in, where a small difference would let in somebody else.
import { expect, test } from "bun:test";
import { openStore } from "../../../src/app/start/open-store.ts";
import type { SignInRules } from "../../../src/core/people/sign-in.ts";
import { admitByRules, readIdentity } from "../../../src/people/claims.ts";
import { SignInRefused } from "../../../src/people/issuer.ts";
import { memberAccess } from "../../../src/people/member.ts";
import { readSettings } from "../../harness/settings.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../samples.ts";
import { oidcYaml } from "./world.ts";

const EVERYONE = 'rules: [{ group: "*", role: viewer }], allow: { domains: [kexample.com] }';

function readRules(issuer: string, rules: string): SignInRules {
  const yaml = `server: { public_url: "https://a.example" }\n${oidcYaml(issuer, rules)}`;
  const { signIn } = readSettings(yaml);
  if (signIn === undefined) throw new Error("the configuration has no sign-in");
  return signIn;
}

/** Returns the reason for which a person with these claims isn't let in, or `in`. */
function judge(issuer: string, claims: Readonly<Record<string, unknown>>): string {
  const signIn = readRules(issuer, EVERYONE);
  const confirmed = { subject: "ada", claims, hasIdToken: true };
  try {
    admitByRules(confirmed, readIdentity(confirmed, signIn), signIn, {
      ids: new Map(),
      personalAccountId: null,
    });
    return "in";
  } catch (error) {
    if (error instanceof SignInRefused) return error.reason;
    throw error;
  }
}

test.each(["https://accounts.google.com", "https://accounts.google.com/"])(
  "at %s, a verified address counts only if the account belongs to the domain",
  (issuer) => {
    const own = { email: "ada@kexample.com", email_verified: true };
    expect(judge(issuer, own)).toBe("domain");
    expect(judge(issuer, { ...own, hd: "other.example" })).toBe("domain");
    expect(judge(issuer, { ...own, hd: "KExample.com" })).toBe("in");
  },
);

test.each([
  ["in capital letters", "Ada@KEXAMPLE.com", "in"],
  ["with a letter that only looks alike when small", "ada@\u212Aexample.com", "domain"],
  [
    "whose first 200 characters end in the domain",
    `${"a".repeat(187)}@kexample.com.evil.example`,
    "no_email",
  ],
  ["with a line break", "ada@evil.example\n@kexample.com", "no_email"],
])("an address %s", (_, email, outcome) => {
  expect(judge("https://login.example.com", { email, email_verified: true })).toBe(outcome);
});

test("a rule shows prompts and answers of its own accounts alone", async () => {
  const rules = readRules(
    "https://login.example.com",
    `rules: [ { group: a, role: viewer, accounts: [Search], content: true }, { group: b, role: viewer, accounts: [Ads] },
      { group: c, role: viewer }, { group: d, role: viewer, content: true } ]`,
  );
  const { store } = await openStore("sqlite::memory:", Buffer.alloc(32, 5).toString("base64"));
  const ids = new Map([
    ["Search", "acc_search"],
    ["Ads", "acc_ads"],
  ]);
  const sees = async (...groups: string[]) => {
    const confirmed = { subject: "ada", claims: { groups }, hasIdToken: true };
    const { grants, readsContent } = admitByRules(confirmed, readIdentity(confirmed, rules), rules, {
      ids,
      personalAccountId: null,
    });
    const member = makeMember("mem_ada", { ruleGrants: grants, readsContent });
    await unrecorded(store).changeMember(member.id, () => member);
    const stored = await store.people.member(member.id);
    const access = stored && memberAccess(stored, Date.now());
    return ["acc_search", "acc_ads"].filter((accountId) =>
      access?.mayReadContent({ accountId, memberId: null }),
    );
  };
  expect(await sees("a", "b")).toEqual(["acc_search"]);
  expect(await sees("a", "c")).toEqual(["acc_search"]);
  expect(await sees("b", "c")).toEqual([]);
  expect(await sees("b", "d")).toEqual(["acc_search", "acc_ads"]);
  await store.close();
});

test("a higher role by another rule takes nothing of what a member may do with own keys", () => {
  const rules = readRules(
    "https://login.example.com",
    "rules: [{ group: a, role: viewer }, { group: b, role: member, accounts: [Search] }]",
  );
  const confirmed = { subject: "ada", claims: { groups: ["a", "b"] }, hasIdToken: true };
  const identity = readIdentity(confirmed, rules);
  const { grants, readsContent } = admitByRules(confirmed, identity, rules, {
    ids: new Map([["Search", "acc_search"]]),
    personalAccountId: null,
  });
  const access = memberAccess(makeMember("mem_ada", { ruleGrants: grants, readsContent }), Date.now());
  expect(access.grants).toEqual([{ role: "viewer", accountId: null }]);
  expect(["acc_search", "acc_ads"].map((id) => access.may("own.keys.write", id))).toEqual([true, false]);
});

test("an account of one's own is for those to whom no rule gives one to use keys in", () => {
  const rules = readRules(
    "https://login.example.com",
    `rules: [{ group: z, role: member }, { group: a, role: member, accounts: [Search] },
      { group: b, role: viewer }, { group: c, role: admin }, { group: d, role: manager, accounts: [Gone] }]`,
  );
  const listGrants = (personalAccountId: string | null, ...groups: string[]) => {
    const confirmed = { subject: "ada", claims: { groups: ["z", ...groups] }, hasIdToken: true };
    const known = { ids: new Map([["Search", "acc_search"]]), personalAccountId };
    return admitByRules(confirmed, readIdentity(confirmed, rules), rules, known).grants.map(
      ({ role, accountId }) => `${role} ${accountId ?? "all"}`,
    );
  };
  expect(listGrants("acc_own")).toEqual(["member acc_own"]);
  expect(listGrants("acc_own", "a")).toEqual(["member acc_search"]);
  expect(listGrants("acc_own", "b")).toEqual(["viewer all", "member acc_own"]);
  expect(listGrants("acc_own", "c")).toEqual(["admin all"]);
  expect(listGrants("acc_own", "d")).toEqual(["member acc_own"]);
  expect(listGrants(null)).toEqual(["member all"]);
});
