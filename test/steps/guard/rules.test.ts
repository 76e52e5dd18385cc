// The rule that counts for a finding.
import { expect, test } from "bun:test";
import type { GuardAction, GuardRule } from "../../../src/core/models/guard.ts";
import { findStrictestRule } from "../../../src/steps/guard/rules.ts";

const all = ["*"];
const makeRule = (name: string, action: GuardAction, ...detect: readonly string[]): GuardRule => ({
  name,
  action,
  detect,
  at: ["request"],
  keys: all,
  accounts: all,
  models: all,
  providers: all,
  refusesAttachments: false,
});

test("the strictest action counts, and of several rules the first that has it", () => {
  const rules = [
    makeRule("report", "report", "email", "card"),
    makeRule("mask", "mask", "email"),
    makeRule("masks too", "mask", "email"),
    makeRule("refuse", "refuse", "iban"),
  ];
  const find = (...detectors: readonly string[]) => findStrictestRule(rules, detectors)?.name;
  expect([find("card"), find("email"), find("card", "email"), find("email", "iban"), find("ip")]).toEqual([
    "report",
    "mask",
    "mask",
    "refuse",
    undefined,
  ]);
});
