// Every fault of every provider, whole and streamed: the client's error reveals nothing about the upstream.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { INJECTED_FAULTS, type InjectedFault } from "../../../src/simulator/control.ts";
import { formatLine, readText, type Seen, seen } from "../world/observe.ts";
import { formatExpected, OUTCOMES } from "../world/troubles.ts";
import { asking, type HttpWorld, PROVIDER_NAMES, startHttpWorld } from "../world/world.ts";

const SAID = "a b c d e f";
/** A MiB; where a model of which nothing is known has to be given a limit, what that one leaves. */
const HUGE_CHARACTERS = [1024 * 1024, 64 * 1024];
/** For a provider that never ends. Others may take their time on a busy machine. */
const HANGING_SECONDS = "0.6";

let world: HttpWorld;
beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world.stop());

/** Requests the fault. The pieces of a stream arrive in separate reads. */
async function ask(provider: string, trouble: string, stream: boolean): Promise<Seen> {
  const body = asking(`${provider}#sim~trouble=${trouble}~pace=10`, `say: ${SAID}`, { stream });
  const hangs = OUTCOMES[trouble as InjectedFault].whole.includes("upstream_timeout");
  return seen(await world.chat(body, hangs ? { headers: { "x-poundkey-timeout": HANGING_SECONDS } } : {}));
}

/** The client reads which provider failed, in an error event too. */
const PROVIDERS_FAULTS = new Set<unknown>([
  "upstream_error",
  "upstream_auth",
  "upstream_timeout",
  "provider_busy",
]);

function withoutOwnCode(line: string, expected: string): string {
  return expected.endsWith(" *") ? line.replace(/ \S+$/, " *") : line;
}

describe.each(Object.keys(INJECTED_FAULTS) as InjectedFault[])("%s", (trouble) => {
  const outcome = OUTCOMES[trouble];

  test.each([false, true])("streamed: %p", async (streamed) => {
    const told: Record<string, string> = {};
    const expected: Record<string, string> = {};
    await Promise.all(
      PROVIDER_NAMES.map(async (provider) => {
        const answer = await ask(provider, trouble, streamed);
        expected[provider] = formatExpected(outcome, provider, streamed);
        told[provider] = withoutOwnCode(formatLine(answer), expected[provider]);
        if (PROVIDERS_FAULTS.has(answer.error?.code)) {
          expect(answer.error?.message).toStartWith(provider);
        }
        if (answer.error) checkWords(String(answer.error.message), outcome.says);
        else checkText(readText(answer), trouble);
      }),
    );
    expect(told).toEqual(expected);
  });
});

function checkWords(message: string, says: RegExp | undefined): void {
  expect(says).toBeDefined();
  expect(message).toMatch(says ?? /^$/);
}

function checkText(given: string, trouble: InjectedFault): void {
  // Perplexity's answers have the marks of their sources.
  const text = given.replace(/\[\d+\]$/, "");
  if (trouble === "huge") expect(HUGE_CHARACTERS).toContain(text.length);
  else expect(text).toBe(trouble === "no-content" || trouble === "filter" ? "" : SAID);
}

test("afterwards no upstream call is open, and no redirect was followed", () => {
  expect(world.simulator.calls.open).toBe(0);
  expect(world.simulator.calls.all().filter(({ dialect }) => dialect === "trap")).toEqual([]);
});

test("a faulty request is sent once, and a reset kept connection is replaced once", async () => {
  for (const [trouble, calls] of [
    ["400", 1],
    ["500", 1],
    ["reset", 2],
  ] as const) {
    world.callsSince();
    await ask("Local", trouble, false);
    expect(world.callsSince()).toBe(calls);
  }
});
