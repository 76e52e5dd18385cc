// Hooks that fail: no text passes unjudged, no request waits longer than the hook may take, and others go on.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { BINARY } from "../../harness/harness.ts";
import { makeRequest, nameWay, readWords, WAYS } from "../../steps/asked.ts";
import { FAILURES } from "../../steps/hooks/server.ts";
import { type HookWorld, startHookWorld } from "../../steps/hooks/world.ts";
import { until } from "../world/until.ts";

/** One hook for each way to fail, so that no breaker of another opens. */
const names = FAILURES.map((_failure, at) => `strict${at}`);
const ways = WAYS.filter(
  ({ surface, native }) => (surface === "chat" && native === null) || native === "anthropic",
);

let own: HookWorld;
beforeAll(async () => {
  own = await startHookWorld([
    ...names.map((name) => `name: ${name}, at: [request, answer], keys: [], timeout: 200ms`),
    "name: lenient, at: [request, answer], keys: [], timeout: 200ms, on_failure: pass",
    "name: late, keys: [], timeout: 200ms, on_failure: pass",
    "name: broken, keys: [], timeout: 200ms",
    "name: stuck, keys: [], timeout: 5s",
    "name: large, keys: [], timeout: 5s",
  ]);
});
afterAll(() => own.stop());
beforeEach(() => own.reset());

describe.each(FAILURES.map((failure, at) => [failure, `strict${at}`] as const))("%s", (failure, name) => {
  test("at the request: no provider is asked", async () => {
    Object.assign(own.hook, { behaviour: failure });
    for (const way of ways.slice(0, 2)) {
      const got = await own.ask(way, "say: a canary", { name });
      expect([got.status, own.world.simulator.calls.total]).toEqual([503, 0]);
      expect(got.text).toContain(`The hook '${name}' could not be asked`);
      expect(got.text).not.toContain("127.0.0.1");
      expect(got.headers.get("retry-after")).not.toBeNull();
    }
    expect(own.hook.calls.map(({ path }) => path)).not.toContain("/elsewhere");
    expect(await own.readRow()).toMatchObject({
      status: 503,
      error_code: "hook_unavailable",
      ended: "refused",
    });
    await own.untilNothingIsHeld();
  });

  test("at the answer: none of it is shown", async () => {
    Object.assign(own.hook, { behaviour: failure, failsAt: "response" });
    for (const way of ways.slice(-2)) {
      const got = await own.ask(way, `say: something ${failure}`, { name });
      expect(got.text).toContain(`The hook '${name}' could not be asked`);
      expect(readWords(got)).not.toContain("something");
    }
    expect(await own.readRow()).toMatchObject({ error_code: "hook_unavailable", ended: "broken_off" });
    await own.untilNothingIsHeld();
  });
});

// The log of another process isn't read.
test.skipIf(BINARY !== undefined)(
  "an answer without end is given up by its size, not only in time",
  async () => {
    Object.assign(own.hook, { behaviour: "huge" });
    const body = { model: "Local#sim", messages: [{ role: "user", content: "say: a canary" }] };
    expect((await own.post("/v1/chat/completions", body, "large")).status).toBe(503);
    const causes = own.world.events.filter(({ hook }) => hook === "large").map(({ cause }) => cause);
    expect(causes).toEqual(["its answer is too long"]);
  },
);

test.each(ways.map((way) => [nameWay(way), way] as const))(
  "%s: a hook may be passed if it fails",
  async (_name, way) => {
    Object.assign(own.hook, { behaviour: "crash" });
    const got = await own.ask(way, "say: a canary", { name: "lenient" });
    expect([got.status, readWords(got)]).toEqual([200, "a canary"]);
  },
);

test("the time that a hook takes is the request's own: no provider is asked once its limit has passed", async () => {
  Object.assign(own.hook, { behaviour: "slow" });
  const { secret } = await own.world.newKey({ hooks: ["late"], requests_per_day: null });
  const body = { model: "Local#sim", messages: [{ role: "user", content: "say: too late" }] };
  const got = await own.world.chat(body, { secret, headers: { "x-poundkey-timeout": "0.05" } });
  expect([got.status, own.world.simulator.calls.total]).toEqual([504, 0]);
  expect(await own.readRow()).toMatchObject({ error_code: "client_timeout", charged_usd: 0 });
});

test("a hook that keeps failing isn't asked for a while", async () => {
  Object.assign(own.hook, { behaviour: "an error" });
  const [way = ways[0]] = ways;
  for (let asked = 0; asked < 7; asked++)
    if (way) expect((await own.ask(way, "say: hello", { name: "broken" })).status).toBe(503);
  expect(own.hook.calls.length).toBe(5);
});

test("64 calls of an account wait for hooks, 32 of a key, further ones are refused, and others go on", async () => {
  Object.assign(own.hook, { behaviour: "slow" });
  const [way] = ways;
  if (!way) throw new Error("There is no way.");
  await own.ask(way, "say: first", { name: "lenient" });
  own.hook.calls.length = 0;
  const leaving = new AbortController();
  const [path, body] = makeRequest(way, "say: hello");
  const makePost = async (name: string) => {
    const { secret } = await own.world.newKey({ name, hooks: ["stuck"], requests_per_day: null });
    const headers = { "content-type": "application/json", authorization: `Bearer ${secret}` };
    const sent = { method: "POST", headers, body: JSON.stringify(body), signal: leaving.signal };
    return () => fetch(own.world.url + path, sent);
  };
  const waiting: Promise<unknown>[] = [];
  const fill = (post: () => Promise<unknown>) =>
    waiting.push(...Array.from({ length: 32 }, () => post().catch(() => null)));
  const refuse = async (post: () => Promise<Response>) => {
    const refused = await post();
    return [refused.status, await refused.text()];
  };
  const [first, second, third] = [await makePost("one"), await makePost("two"), await makePost("three")];
  fill(first);
  await until("half of them wait", () => own.hook.calls.length === 32);
  expect(await refuse(first)).toEqual([429, expect.stringContaining("32 requests of a key")]);
  fill(second);
  await until("64 wait", () => own.hook.calls.length === 64);
  expect(await refuse(third)).toEqual([429, expect.stringContaining("64 requests of an account")]);
  expect(readWords(await own.ask(way, "say: hello"))).toBe("hello");
  leaving.abort();
  await Promise.all(waiting);
  await own.untilNothingIsHeld();
});
