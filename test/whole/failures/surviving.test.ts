// Every trouble at the first attempt, at the first two and at all of them, whole and streamed, with fallbacks configured:
// the right answer or the right error, within the deadline, in as few attempts as it takes, and nothing left open.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FAULTS } from "../../../src/core/faults/fault.ts";
import { INJECTED_FAULTS, type InjectedFault } from "../../../src/simulator/control.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { formatLine, seen } from "../world/observe.ts";
import { formatExpected, OUTCOMES } from "../world/troubles.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const NAMES = Object.keys(INJECTED_FAULTS) as InjectedFault[];
/** The number of the plan's three attempts that are hit by the fault. */
const TROUBLED = [1, 2, 3] as const;
const MODES = ["whole", "stream"] as const;
const TOTAL_MS = 8000;
const SAID = "a b c d e f";
/** On a busy machine a second is no sign of trouble. */
const TIMEOUTS = `timeouts: { first_byte: 2s, idle: 2s, total: ${TOTAL_MS}ms }`;

/** The first provider has its own name for each fault, because the retry budget is kept per provider. */
function firstProvider(trouble: InjectedFault): string {
  return `P${trouble}`;
}

function modelsOf(trouble: InjectedFault): readonly (readonly [string, string, string])[] {
  return TROUBLED.flatMap((count) =>
    MODES.map((mode) => {
      const bad = `sim-${count}-${mode}~trouble=${trouble}~pace=10`;
      const name = (at: number) => (at < count ? bad : "sim-good");
      return [`${firstProvider(trouble)}#${bad}`, `Second#${name(1)}`, `Third#${name(2)}`] as const;
    }),
  );
}

function yaml(url: string): string {
  const chains = NAMES.flatMap(modelsOf);
  const providers = [...NAMES.map(firstProvider), "Second", "Third"].map((provider) => {
    const ids = new Set(chains.flat().filter((id) => id.startsWith(`${provider}#`)));
    const models = [...ids].map(
      (id) => `{ name: "${id.slice(provider.length + 1)}", context: 8192, output: 2048 }`,
    );
    const fields = `dialect: openai, keys: [sim-key], base_url: "${url}/openai/v1", ${TIMEOUTS}`;
    return `  ${provider}: { ${fields}, models: [${models.join(", ")}] }`;
  });
  const overlay = chains.map(
    ([id, ...rest]) => `  "${id}": { fallbacks: [${rest.map((one) => `"${one}"`)}] }`,
  );
  return [...providers, "models:", ...overlay].join("\n");
}

/** These wait for deadlines, so they start with the first test and are checked in their own. */
const SLOW: readonly InjectedFault[] = ["silent", "stall"];
const slow = new Map<string, Promise<void>>();

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ more: (url) => yaml(url) });
  for (const trouble of SLOW) {
    for (const mode of MODES) {
      const surviving = survive(trouble, mode);
      surviving.catch(() => {});
      slow.set(`${trouble} ${mode}`, surviving);
    }
  }
});
afterAll(() => gateway.stop());

const LEADING = Object.entries(FAULTS).flatMap(([code, row]) =>
  "leadsOn" in row && (row.leadsOn === "failed" || row.leadsOn === "gone") ? [code] : [],
);

/** True if another attempt follows after this failure. A whole answer that never arrives uses up all the time. */
function goesOnAfter(line: string, trouble: InjectedFault, mode: (typeof MODES)[number]): boolean {
  const takesAll = mode === "whole" && (trouble === "silent" || trouble === "stall");
  return !takesAll && !line.startsWith("200") && LEADING.some((code) => line.includes(` ${code}`));
}

/** Calls with this model name at any provider. */
function callsOf(id: string): number {
  const name = id.slice(id.indexOf("#") + 1);
  return gateway.simulator.calls.all().filter(({ model }) => model === name).length;
}

/** Sends requests with the fault at one, two and all of the attempts. */
async function survive(trouble: InjectedFault, mode: (typeof MODES)[number]): Promise<void> {
  const streamed = mode === "stream";
  const alone = formatExpected(OUTCOMES[trouble], "OpenAI", streamed);
  await Promise.all(
    TROUBLED.map(async (count) => {
      const model = `${firstProvider(trouble)}#sim-${count}-${mode}~trouble=${trouble}~pace=10`;
      const answer = await seen(await gateway.chat(asking(model, `say: ${SAID}`, { stream: streamed })));
      const goesOn = goesOnAfter(alone, trouble, mode);
      const expected = !goesOn || count === 3 ? alone : streamed ? "200 done" : "200 whole";
      const line = expected.endsWith(" *") ? formatLine(answer).replace(/ \S+$/, " *") : formatLine(answer);
      const attempts = Number(answer.headers.get("x-poundkey-attempts"));
      const failed = callsOf(model);
      const planned = goesOn ? Math.min(count + 1, 3) : 1;
      // A reset connection may be a kept one that the server had closed, so one call is repeated on a new one.
      const again = trouble === "reset" ? Math.max(0, attempts - planned) : 0;
      expect(again).toBeLessThanOrEqual(1);
      expect([count, line, attempts]).toEqual([count, expected, planned + again]);
      // Each call that was made is reported.
      expect(failed).toBe(goesOn && count < 3 ? attempts - 1 : attempts);
    }),
  );
}

describe.each(NAMES)("%s", (trouble) => {
  test.each(MODES)("%s", (mode) => slow.get(`${trouble} ${mode}`) ?? survive(trouble, mode));
});

test("afterwards no upstream call is open, and none was made beyond the plan", async () => {
  await until("all is closed", () => gateway.simulator.calls.open === 0);
  const calls = gateway.simulator.calls.all().length;
  expect(calls).toBeLessThanOrEqual(NAMES.length * MODES.length * TROUBLED.length * 3 + 12);
});
