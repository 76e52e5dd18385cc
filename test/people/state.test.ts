// The state of a person, and what works in it at which time: the one function that everything else reads.
import { expect, test } from "bun:test";
import type { Grant, Member } from "../../src/core/people/people.ts";
import { mayRefreshAgents, mayUseKeys, memberAccess } from "../../src/people/member.ts";
import { canSignIn, findMemberState, isLetIn } from "../../src/people/state.ts";
import { makeMember } from "./samples.ts";

const NOW = 10_000;
const ruleGrants: readonly Grant[] = [{ role: "manager", accountId: null }];
const IN = { ruleGrants, seenAtMs: 0 };
const doubt = { sinceMs: NOW - 10, actsUntilMs: NOW, keysUntilMs: NOW + 10 };
const HARDEST = { isDisabled: true, deactivatedAtMs: 1, ruleGrants: [], doubt };

test.each<[string, Partial<Member>, string, string]>([
  ["confirmed", IN, "active", "signs in, is let in, acts, agents, keys"],
  ["silent a while", { ...IN, doubt }, "in_doubt", "signs in, is let in, keys"],
  [
    "silent for a moment",
    { ...IN, doubt: { ...doubt, actsUntilMs: NOW + 1 } },
    "in_doubt",
    "signs in, is let in, acts, agents, keys",
  ],
  ["silent too long", { ...IN, doubt: { ...doubt, keysUntilMs: NOW } }, "in_doubt", "signs in, is let in"],
  [
    "seen since the doubt",
    { ...IN, seenAtMs: NOW, doubt },
    "active",
    "signs in, is let in, acts, agents, keys",
  ],
  ["without a rule", { ruleGrants: [] }, "left", "signs in"],
  ["without a rule, with an admin's role", { ruleGrants: [], ownGrants: ruleGrants }, "left", "signs in"],
  ["not active in the directory", { ...IN, deactivatedAtMs: 1 }, "deactivated", ""],
  ["shut out by an admin", { ...IN, isDisabled: true }, "disabled", ""],
  ["shut out and not active", HARDEST, "disabled", ""],
  ["forgotten", { ...HARDEST, anonymisedAtMs: 1 }, "anonymised", ""],
])("%s: %p is %s", (_, fields, state, works) => {
  const member = makeMember("mem_a", fields);
  const words = [
    canSignIn(member) && "signs in",
    isLetIn(member) && "is let in",
    memberAccess(member, NOW).role !== null && "acts",
    mayRefreshAgents(member, "a", NOW) && "agents",
    mayUseKeys(member, "a", NOW) && "keys",
  ];
  expect([findMemberState(member), words.filter(Boolean).join(", ")]).toEqual([state, works]);
});
