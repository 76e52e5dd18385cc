// The tools that a member may call in an account: by the rules of the sign-in, the account, and the configuration.
import { expect, test } from "bun:test";
import {
  findMemberTools,
  type GivenLimits,
  NO_MEMBER_LIMITS,
} from "../../../src/core/limits/member-limits.ts";

const rule = (fields: Partial<GivenLimits>): GivenLimits => ({
  ...NO_MEMBER_LIMITS,
  budgets: null,
  accountIds: null,
  ...fields,
});

test("tools are the union of the rules that say something, of no tool too, else the account's", () => {
  const account = { id: "a", memberDefaults: { ...NO_MEMBER_LIMITS, allowedTools: ["github_*"] } };
  const find = (...rules: readonly GivenLimits[]) =>
    findMemberTools(account, { rules }, { allowedTools: ["jira_*"] });
  expect(find()).toEqual(["github_*"]);
  expect(find(rule({ allowedTools: ["b_*"], accountIds: ["b"] }))).toEqual(["github_*"]);
  expect(find(rule({ allowedTools: [] }), rule({}))).toEqual([]);
  const rules = [rule({ allowedTools: ["*", "!b_x"] }), rule({ allowedTools: ["b_x", "*"] })];
  expect(find(...rules)).toEqual(["*", "!b_x", "b_x"]);
  const none = { id: "a", memberDefaults: null };
  expect(findMemberTools(none, { rules: [] }, { allowedTools: ["jira_*"] })).toEqual(["jira_*"]);
  expect(findMemberTools(none, { rules: [] }, { allowedTools: null })).toBeNull();
});
