// Each rule of the tests' providers names a public source, so that a wrong fact can't stand in product and test alike unseen.
import { expect, test } from "bun:test";
import { listRules } from "./listed-rules.ts";
import { RULE_SOURCES } from "./sources.ts";
import { VENDOR_RULES } from "./vendor-rules.ts";

test("each rule has a row, and each row a rule", () => {
  const rules = [...listRules(), ...VENDOR_RULES.map(({ name }) => name)];
  const rows = Object.keys(RULE_SOURCES);
  expect({
    withoutRow: rules.filter((rule) => !rows.includes(rule)),
    withoutRule: rows.filter((row) => !rules.some((rule) => rule === row)),
  }).toEqual({ withoutRow: [], withoutRule: [] });
});

test("each has a source, which is an address", () => {
  const wrong = Object.entries(RULE_SOURCES).filter(
    ([, addresses]) =>
      addresses.length === 0 || !addresses.every((address) => /^https:\/\/[\w.-]+\/\S+$/.test(address)),
  );
  expect(wrong).toEqual([]);
});
