// Made-up people.
import type { Member } from "../../src/core/people.ts";

export function makeMember(id: string, fields: Partial<Member> = {}): Member {
  return {
    ...{ id, issuer: "https://issuer.example", subject: id, name: id, email: null },
    ...{ ruleGrants: [], ownGrants: [], ownUntilMs: null, readsContent: false, isDisabled: false },
    ...{ createdAtMs: 1, seenAtMs: 1, refreshSealed: null, checkedAtMs: 0, leasedUntilMs: 0 },
    anonymisedAtMs: null,
    ...fields,
  };
}
