// Each rule of the tests' providers names a public source, so that a wrong fact can't stand in product and test alike unseen.
import { expect, test } from "bun:test";
import { listRules } from "./listed-rules.ts";
import { RULE_SOURCES } from "./sources.ts";
import { VENDOR_RULES } from "./vendor-rules.ts";

/** Of the rules that are read off the code. It only falls; the aim is none. */
const UNSOURCED_MOST = 3;

const listed = listRules();

test("each rule has a row, and each row a rule", () => {
  const rules = [...listed, ...VENDOR_RULES.map(({ name }) => name)];
  const rows = Object.keys(RULE_SOURCES);
  expect({
    withoutRow: rules.filter((rule) => !rows.includes(rule)),
    withoutRule: rows.filter((row) => !rules.some((rule) => rule === row)),
  }).toEqual({ withoutRow: [], withoutRule: [] });
});

test("a source is an address, and the vendors' own rules all have one", () => {
  const addresses = Object.values(RULE_SOURCES).flat();
  expect(addresses.filter((address) => !/^https:\/\/[\w.-]+\/\S+$/.test(address))).toEqual([]);
  expect(VENDOR_RULES.filter(({ name }) => RULE_SOURCES[name]?.length === 0)).toEqual([]);
});

test("rules whose source isn't known grow no more in number", () => {
  const unsourced = listed.filter((rule) => RULE_SOURCES[rule]?.length === 0);
  console.log(`${unsourced.length} of ${listed.length} rules name no public source`);
  expect(unsourced.length, unsourced.join("\n")).toBeLessThanOrEqual(UNSOURCED_MOST);
});
