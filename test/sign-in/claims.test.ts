// The claims that let a person in, where a small difference would let in somebody else.
import { expect, test } from "bun:test";
import { admit, readIdentity } from "../../src/people/claims.ts";
import { SignInRefused } from "../../src/people/issuer.ts";
import { readSettings } from "../settings.ts";
import { oidcYaml } from "./world.ts";

const EVERYONE = 'rules: [{ group: "*", role: viewer }], allow: { domains: [kexample.com] }';

/** Returns the reason for which a person with these claims isn't let in, or `in`. */
function judge(issuer: string, claims: Readonly<Record<string, unknown>>): string {
  const yaml = `server: { public_url: "https://a.example" }\n${oidcYaml(issuer, EVERYONE)}`;
  const { signIn } = readSettings(yaml);
  if (signIn === undefined) throw new Error("the configuration has no sign-in");
  const confirmed = { subject: "ada", claims, hasIdToken: true };
  try {
    admit(confirmed, readIdentity(confirmed, signIn), signIn, new Map());
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
  ["whose first 200 characters end in the domain", `${"a".repeat(187)}@kexample.com.evil.example`, "domain"],
  ["with a line break", "ada@evil.example\n@kexample.com", "domain"],
])("an address %s", (_, email, outcome) => {
  expect(judge("https://login.example.com", { email, email_verified: true })).toBe(outcome);
});
