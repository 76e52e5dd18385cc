// Broken upstream connections: every call that reached the provider is reported, and only calls on kept connections are
// repeated.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { type Break, type BreakingUpstream, startBreakingUpstream } from "../world/breaking-upstream.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const BREAKS: readonly Break[] = ["fin", "rst", "half-fin", "half-rst"];
/** Immediately, and after some work, far within the second that `transport/stale.test.ts` measures. */
const AFTER_MS = [0, 50];
const FAILED = "502 api_error upstream_error";
/** One per way of breaking, so that none finds another's connection, plus one. */
const CASES = BREAKS.flatMap((how) => AFTER_MS.map((afterMs) => ({ how, afterMs })));

let upstreams: readonly BreakingUpstream[];
let gateway: UnderTest;
beforeAll(async () => {
  upstreams = await Promise.all([...CASES, null].map(() => startBreakingUpstream()));
  const rows = upstreams.map(
    ({ url }, at) => `  P${at}: { dialect: openai, keys: [k], base_url: "${url}", unlisted_models: true }`,
  );
  gateway = await startUnderTest({ more: rows.join("\n") });
});
afterAll(async () => {
  await gateway.stop();
  for (const upstream of upstreams) await upstream.stop();
});

/** The id of the last request. */
let asked = "";

/** The answer, the number of attempts it reports, and the number of calls. */
async function ask(at: number, stream = false): Promise<{ line: string; attempts: number; calls: number }> {
  const before = upstreams[at]?.calls.length ?? 0;
  const answer: Seen = await seen(await gateway.chat(asking(`P${at}#m`, undefined, { stream })));
  asked = answer.headers.get("x-request-id") ?? "";
  const attempts = Number(answer.headers.get("x-poundkey-attempts"));
  return { line: formatLine(answer), attempts, calls: (upstreams[at]?.calls.length ?? 0) - before };
}

/** The last request's attempts as logged. Two in the same millisecond may be in any order. */
async function logged(): Promise<unknown> {
  const headers = { authorization: `Bearer ${gateway.adminToken}` };
  const list = asObject(await (await fetch(`${gateway.url}/admin/v1/requests?limit=5`, { headers })).json());
  return asObject(asArray(list.data).find((row) => asObject(row).request_id === asked)).attempts;
}

describe.each(CASES.map(({ how, afterMs }, at) => [how, afterMs, at] as const))(
  "%s after %d ms",
  (how, afterMs, at) => {
    test.each([false, true])(
      "on a new connection there is one call and one attempt; streamed: %p",
      async (stream) => {
        upstreams[at]?.act({ do: how, afterMs });
        expect(await ask(at, stream)).toEqual({ line: FAILED, attempts: 1, calls: 1 });
        await until("the row says so", async () => (await logged()) === 1);
      },
    );

    test("on a kept connection each call is an attempt, with at most one more", async () => {
      upstreams[at]?.act({ do: "answer" }, { do: how, afterMs }, { do: "answer" });
      expect(await ask(at)).toEqual({ line: "200 whole", attempts: 1, calls: 1 });
      expect(await ask(at)).toEqual({ line: "200 whole", attempts: 2, calls: 2 });
      await until("the row says so", async () => (await logged()) === 2);
      upstreams[at]?.act({ do: "answer" }, { do: how, afterMs });
      expect(await ask(at)).toEqual({ line: "200 whole", attempts: 1, calls: 1 });
      expect(await ask(at)).toEqual({ line: FAILED, attempts: 2, calls: 2 });
    });
  },
);

describe("a connection kept alive", () => {
  const last = CASES.length;

  test("that the server closes as a request arrives is replaced, without blame", async () => {
    const upstream = upstreams[last];
    upstream?.act({ do: "answer" }, { do: "rst", afterMs: 0 }, { do: "answer" });
    await ask(last);
    for (let at = 0; at < 5; at++) {
      upstream?.act({ do: "rst", afterMs: 0 }, { do: "answer" });
      expect(await ask(last)).toEqual({ line: "200 whole", attempts: 2, calls: 2 });
      // The connection opened instead was not kept.
      expect(await ask(last)).toEqual({ line: "200 whole", attempts: 1, calls: 1 });
    }
    const headers = { authorization: `Bearer ${gateway.adminToken}` };
    const shown = (await (await fetch(`${gateway.url}/admin/v1/providers`, { headers })).json()) as {
      data: readonly { name: string; breaker: string; error_rate: number }[];
    };
    expect(shown.data.find(({ name }) => name === `P${last}`)).toMatchObject({
      breaker: "closed",
      error_rate: 0,
    });
  });

  test("that breaks is not replaced by another kept one, which may be closed too", async () => {
    const upstream = upstreams[last];
    upstream?.act({ do: "gather", count: 3 });
    await Promise.all([ask(last), ask(last), ask(last)]);
    upstream?.act({ do: "reset-kept" });
    for (let at = 0; at < 3; at++) {
      expect(await ask(last)).toEqual({ line: "200 whole", attempts: 2, calls: 2 });
    }
    expect(await ask(last)).toEqual({ line: "200 whole", attempts: 1, calls: 1 });
  });

  test("that the server closed earlier costs no call", async () => {
    const upstream = upstreams[last];
    upstream?.act({ do: "answer", thenClose: true });
    expect(await ask(last)).toEqual({ line: "200 whole", attempts: 1, calls: 1 });
    await until("it is closed", () => upstream?.open === 0);
    expect(await ask(last)).toEqual({ line: "200 whole", attempts: 1, calls: 1 });
  });

  test.skipIf(BINARY !== undefined)("that broke is mentioned in the log", () => {
    const told = gateway.events.filter(({ event, stale }) => event === "attempt_failed" && stale);
    expect(told.length).toBeGreaterThan(0);
    expect(told[0]).toMatchObject({
      fault: "upstream_error",
      cause: "connection reset (ECONNRESET)",
      stale: true,
    });
  });
});
