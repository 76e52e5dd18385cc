// The list of hooks: a changed configuration, and the breaker of a hook that stays.
import { expect, test } from "bun:test";
import { Hooks } from "../../../src/steps/hooks/hooks.ts";
import { readSettings } from "../../harness/settings.ts";

const findRules = (...rows: readonly string[]) =>
  readSettings(
    ["providers: { OpenAI: { keys: [sk-1] } }", "hooks:", ...rows.map((row) => `  - ${row}`)].join("\n"),
  ).hooks;

const FIRST = "{ name: first, url: http://guard }";
const SECOND = "{ name: second, url: http://guard }";

function makeHooks() {
  let breakers = 0;
  const hooks = new Hooks({
    clock: { monotonicMs: () => 0, after: () => () => {} },
    random: { bytes: (count) => new Uint8Array(count) },
    log: () => {},
    ask: () => Promise.resolve({ kind: "blocked", reason: "all" }),
    accountName: () => Promise.resolve(null),
    makeBreaker() {
      breakers++;
      return {
        isOpenForAll: () => false,
        lacksPlace: () => false,
        readState: () => "closed",
        pass: () => "free",
        recordSuccess: () => false,
        recordFailure: () => false,
        release: () => {},
      };
    },
  });
  return { hooks, countBreakers: () => breakers };
}

test("without hooks, requests have no steps, unless their key names one", () => {
  const { hooks } = makeHooks();
  expect(hooks.list({ hooks: null })).toEqual([]);
  expect(hooks.list({ hooks: ["first"] })).toHaveLength(1);
});

test("a changed configuration applies to the next request, in its order, and a hook that stays keeps its state", () => {
  const { hooks, countBreakers } = makeHooks();
  hooks.put(findRules(FIRST, SECOND));
  const [first, second] = hooks.list({ hooks: null });
  hooks.put(findRules(SECOND, FIRST));
  expect(hooks.list({ hooks: null })).toEqual([second, first].filter((step) => step !== undefined));
  expect(countBreakers()).toBe(2);
  hooks.put(findRules("{ name: second, url: http://guard, timeout: 1s }"));
  expect(hooks.list({ hooks: ["second"] })).toHaveLength(1);
  expect(countBreakers()).toBe(3);
  hooks.put([]);
  expect(hooks.list({ hooks: null })).toEqual([]);
});
