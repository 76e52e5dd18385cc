// Made-up people, and a configuration in which they count as signed in.
import type { Member } from "../../src/core/people/people.ts";

const ISSUER = "https://issuer.example";

/** Nobody asks the issuer anything, since these people have no refresh tokens. */
export const PEOPLE = {
  server: 'public_url: "https://gateway.example"',
  more: `sign_in:
  oidc:
    issuer: ${ISSUER}
    client_id: gateway
    client_secret: "a-client-secret"
    rules: [{ group: platform, role: admin }]`,
} as const;

export function makeMember(id: string, fields: Partial<Member> = {}): Member {
  return {
    id,
    issuer: ISSUER,
    subject: id,
    name: id,
    email: null,
    ruleGrants: [],
    ownGrants: [],
    ownUntilMs: null,
    readsContent: false,
    isDisabled: false,
    createdAtMs: 1,
    seenAtMs: Date.now(),
    refreshSealed: null,
    checkedAtMs: 0,
    leasedUntilMs: 0,
    anonymisedAtMs: null,
    ruleLimits: null,
    groups: [],
    warnedAtMs: null,
    ...fields,
  };
}
