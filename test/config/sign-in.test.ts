// The configuration of signing in: what is refused, with which words, and what the rest means.
import { describe, expect, test } from "bun:test";
import { formatError } from "../../src/config/errors.ts";
import { loadText, readSettings } from "../harness/settings.ts";

const SERVER = { public_url: "https://gateway.example.com" };
const OIDC = {
  issuer: "https://login.example.com/tenant",
  client_id: "poundkey",
  client_secret: "a-client-secret",
  rules: [{ group: "platform", role: "admin" }],
};

/** Returns the lines of the errors of a configuration. */
function listErrors(oidc: object, server: object = SERVER): readonly string[] {
  const loaded = loadText(JSON.stringify({ server, sign_in: { oidc: { ...OIDC, ...oidc } } }));
  return loaded.ok ? [] : loaded.errors.map(formatError);
}

const withRule = (rule: object) => ({ rules: [{ group: "a", role: "member", ...rule }] });

describe("refused", () => {
  test.each<[string, object, string]>([
    ["plain http elsewhere", { issuer: "http://login.example.com" }, "must be an https URL"],
    [
      "the well-known address",
      { issuer: `${OIDC.issuer}/.well-known/openid-configuration` },
      "issuer itself",
    ],
    ["a query", { issuer: `${OIDC.issuer}?a=b` }, "without query or fragment"],
    ["another scheme", { issuer: "ftp://login.example.com" }, "https URL"],
    ...["common", "organizations", "consumers", "Common"].map((tenant): [string, object, string] => [
      `the tenant ${tenant}`,
      { issuer: `https://login.microsoftonline.com/${tenant}/v2.0` },
      "accounts of all Microsoft tenants",
    ]),
    ["everyone without allow", withRule({ group: "*" }), '"*" needs allow'],
    ["no rules", { rules: [] }, "nobody gets in without one"],
    ["an unknown role", withRule({ role: "king" }), "member"],
    ["no accounts in a list", withRule({ accounts: [] }), "a list of names of accounts"],
    ["two budgets alike", withRule({ budgets: [1, 2].map((usd) => ({ usd, per: "day" })) }), "same `per`"],
    ["an empty secret", { client_secret: "" }, "client_secret"],
    ["scopes without openid", { scopes: ["email"] }, 'must contain "openid"'],
    ["another word for e-mail", { email: "yes" }, '"verified" or "trusted"'],
    ["allow without domains", { allow: {} }, "domains"],
    ["an address as a domain", { allow: { domains: ["a@example.com"] } }, "a domain like example.com"],
    ["a recheck of nothing", { members: { recheck: "0s" } }, "from 1s to 7d"],
    ["an unknown field", { group_claim: "groups" }, "groups_claim"],
  ])("is %s", (_, oidc, words) => {
    const errors = listErrors(oidc);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.join("\n")).toContain(words);
    expect(errors.join("\n")).not.toContain(OIDC.client_secret);
  });

  test("is a gateway that doesn't know its own address", () => {
    for (const server of [{}, { public_url: null }]) {
      expect(listErrors({}, server)).toEqual([expect.stringContaining("needs server.public_url")]);
    }
    for (const public_url of ["*", "gateway.example.com", "https://gateway.example.com/path?a=b"]) {
      expect(listErrors({}, { public_url }).join()).toContain("an address like https://gateway.example.com");
    }
  });
});

describe("accepted", () => {
  test("are a tenant's issuer, one on this machine over http, and everyone of a domain", () => {
    for (const issuer of [
      "https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0",
      "http://127.0.0.1:9000",
      "http://localhost:9000/realms/a",
      "http://[::1]:9000",
      "https://login.example.com/application/o/slug/",
    ]) {
      expect(listErrors({ issuer })).toEqual([]);
    }
    expect(listErrors({ ...withRule({ group: "*" }), allow: { domains: ["Example.com"] } })).toEqual([]);
  });

  test("are rules with accounts, contents and limits", () => {
    const budgets = [{ usd: 50, per: "month" }];
    const rule = {
      role: "manager",
      accounts: ["Search"],
      content: true,
      allowed_models: ["OpenAI#*"],
      allowed_tools: [],
      budgets,
    };
    const more = { ...withRule(rule), allow: { domains: ["Example.com"] }, email: "trusted" };
    const server = { public_url: "https://gateway.example.com/" };
    const { signIn } = readSettings(JSON.stringify({ server, sign_in: { oidc: { ...OIDC, ...more } } }));
    expect(signIn).toMatchObject({
      publicUrl: "https://gateway.example.com",
      domains: ["example.com"],
      trustsEmail: true,
      groupsClaim: "groups",
      rules: [
        {
          group: "a",
          role: "manager",
          accounts: ["Search"],
          readsContent: true,
          limits: {
            allowedModels: ["OpenAI#*"],
            allowedTools: [],
            budgets: [{ nanoUsd: 50e9 }],
            parallel: null,
          },
        },
      ],
    });
  });

  test("is a file without it, in which nobody signs in", () => {
    expect(readSettings(null).signIn).toBeUndefined();
  });
});
