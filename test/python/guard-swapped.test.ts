// The vendors' SDKs in Python with values swapped: the same answers as without rules. Each check of guard_swapped.py is a test here.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { type CheckScript, findChecks, runChecks, SCRIPT_MS } from "./checks.ts";

function suite(here: CheckScript): void {
  let results: ReadonlyMap<string, unknown>;
  let under: UnderTest;
  beforeAll(async () => {
    const rule = "{ name: swap, detect: [contact, finance], action: swap, keys: [swapped] }";
    under = await startUnderTest({ more: `guard: { rules: [${rule}] }` });
    const make = async (name: string) => (await under.newKey({ name, requests_per_day: null })).secret;
    const keys = { plain: await make("plain"), swapped: await make("swapped") };
    results = await runChecks(here, { url: under.url, ...keys });
  }, SCRIPT_MS);
  afterAll(() => under.stop());

  test.each(here.checks)("%s", (check) => {
    expect(results.get(check)).toBeNull();
  });

  test("half of the calls have no values", () => {
    const calls = under.simulator.calls.all().map(({ body }) => JSON.stringify(body));
    const swapped = calls.filter((call) => call.includes("EMAIL_"));
    expect([swapped.length, calls.length]).toEqual([2 * here.checks.length, 4 * here.checks.length]);
    expect(swapped.filter((call) => /ada@|4532 0151/.test(call))).toEqual([]);
  });
}

const here = findChecks("guard_swapped.py");
if (here) describe("the vendors' SDKs in Python have", () => suite(here));
else test.skip("The SDKs are not there: pip install -r test/python/requirements.txt into .venv", () => {});
