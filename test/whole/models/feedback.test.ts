// POST /v1/feedback over HTTP: what is taken, what is refused, and that all gateways on the store learn from it and forget it.
import { afterAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { SHIFT_MAX } from "../../../src/learning/learned.ts";
import type { UnderTest } from "../../harness/harness.ts";
import { PROGRAM } from "../../harness/program.ts";
import {
  candidate,
  PAIR,
  post,
  readCandidates,
  routed,
  startRouterFixture,
  worded,
} from "../../selectors/fixture.ts";
import { type Seen, seen } from "../world/observe.ts";
import { until } from "../world/until.ts";

/** Gateways look for new lessons every few seconds. */
const LEARNT_MS = 60_000;
const LABELS = 40;

const gateway = await startRouterFixture();
const pair = await gateway.newKey({ allowed_models: PAIR, requests_per_day: null });
afterAll(() => gateway.stop());

/** The id of an answer from a selector or a named model. */
async function answered(model = "Router#best", more: JsonObject = {}): Promise<string> {
  const { body, text } = await seen(await gateway.chat({ ...worded("best"), model, ...more }, pair));
  return /"id":"(chatcmpl-[^"]+)"/.exec(text)?.[1] ?? String(body.id);
}

const feedback = (body: unknown, secret = pair.secret): Promise<Seen> =>
  post(gateway, "/v1/feedback", body, { secret });

describe("feedback", () => {
  test("on a selector's answer is learned from, once", async () => {
    const id = await answered();
    const told = [];
    for (const score of [0.5, 1]) told.push((await feedback({ id, score })).body);
    expect(told).toEqual([
      { id, score: 0.5, learned: true },
      { id, score: 1, learned: false },
    ]);
  });

  test("works for streamed answers", async () => {
    const id = await answered("Router#fair", { stream: true });
    expect((await feedback({ id, score: 0.5 })).body).toEqual({ id, score: 0.5, learned: true });
  });

  test("on a named model is accepted and teaches nothing", async () => {
    const id = await answered("Acme#wise");
    const { status, body } = await feedback({ id, score: 1 });
    expect([status, body]).toEqual([200, { id, score: 1, learned: false }]);
  });

  test.each([0, 1])("accepts a score of %d", async (score) => {
    const { status, body } = await feedback({ id: await answered(), score });
    expect([status, body.learned]).toEqual([200, true]);
  });

  test("counts once if several arrive for one answer", async () => {
    const id = await answered();
    const all = await Promise.all(Array.from({ length: 12 }, () => feedback({ id, score: 0.5 })));
    expect(all.filter(({ body }) => body.learned === true)).toHaveLength(1);
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  });

  test("of one account on one model stops counting within an hour, whichever key it comes from", async () => {
    const own = {
      allowed_models: PAIR.slice(0, 1),
      requests_per_day: null,
      account_id: await gateway.newAccount(),
    };
    const keys = [await gateway.newKey(own), await gateway.newKey(own), await gateway.newKey(own)];
    const told: unknown[] = [];
    for (let at = 0; at < 27; at++) {
      const secret = keys[at % keys.length]?.secret ?? "";
      const { body } = await seen(await gateway.chat({ ...worded("best"), max_tokens: 5 }, { secret }));
      told.push((await feedback({ id: body.id, score: 0.9 }, secret)).body.learned);
    }
    expect(told).toEqual(Array.from({ length: 27 }, (_, at) => at < 24));
    expect((await feedback({ id: await answered(), score: 0.9 })).body.learned).toBe(true);
  });

  test("on an unknown answer is refused like feedback on another key's", async () => {
    const id = await answered();
    const other = await gateway.newKey();
    const theirs = await feedback({ id, score: 1 }, other.secret);
    const nobodys = await feedback({ id: "chatcmpl-none", score: 1 });
    for (const { status, error } of [theirs, nobodys]) {
      expect([status, error?.param]).toEqual([404, "id"]);
      expect(error).toEqual(nobodys.error);
    }
    expect((await feedback({ id, score: 1 })).body.learned).toBe(true);
  });

  const id = "chatcmpl-x";
  const refusals: readonly (readonly [
    body: unknown,
    status: number,
    code: string | null,
    param: string | null,
  ])[] = [
    [{ score: 1 }, 400, "missing_required_parameter", "id"],
    [{ id: null, score: 1 }, 400, "missing_required_parameter", "id"],
    [{ id: 7, score: 1 }, 400, "invalid_type", "id"],
    [{ id: "x".repeat(101), score: 1 }, 400, "invalid_type", "id"],
    [{ id }, 400, "missing_required_parameter", "score"],
    [{ id, score: null }, 400, "missing_required_parameter", "score"],
    [{ id, score: "1" }, 400, "invalid_type", "score"],
    [{ id, score: true }, 400, "invalid_type", "score"],
    [{ id, score: [1] }, 400, "invalid_type", "score"],
    [{ id, score: -0.0001 }, 400, "decimal_below_min_value", "score"],
    [{ id, score: 1.0001 }, 400, "decimal_above_max_value", "score"],
    [`{"id":"${id}","score":1e400}`, 400, "decimal_above_max_value", "score"],
    [`{"id":"${id}","score":NaN}`, 400, null, null],
    ["[]", 400, null, null],
    ["", 400, null, null],
    [{ id, score: 1, note: "x".repeat(5000) }, 413, "request_too_large", null],
  ];
  test.each(refusals)("%j is refused", async (body, status, code, param) => {
    const answer = await feedback(body);
    expect([answer.status, answer.error?.code, answer.error?.param]).toEqual([status, code, param]);
  });

  test("is refused without a valid key first", async () => {
    for (const authorization of ["", "Bearer sk-wrong"]) {
      const { status, error } = await post(gateway, "/v1/feedback", "", { headers: { authorization } });
      expect([status, error?.type]).toEqual([401, "invalid_request_error"]);
    }
  });
});

/** `poundkey route …` on the same store, as an operator runs it. */
async function poundkey({ configFile, directory }: UnderTest, ...args: readonly string[]): Promise<string> {
  const child = Bun.spawn([...PROGRAM, "route", ...args, "--config", configFile], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const out = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  return out;
}

test("scores shift the choice within bounds, on every gateway, until they are deleted", async () => {
  const own = await startRouterFixture();
  const other = await own.another();
  try {
    const key = await own.newKey({ allowed_models: PAIR, requests_per_day: null });
    const at = (url: string) => routed(own, worded("best"), { ...key, url });
    const whenChosen = (url: string, model: string) =>
      until(
        `the choice of ${model}`,
        async () => {
          const view = await at(url);
          return view.choice === model ? view : null;
        },
        LEARNT_MS,
      );
    const before = await at(own.url);
    expect(before.choice).toBe("Acme#wise");
    for (let label = 0; label < LABELS; label++) {
      const { body } = await seen(await own.chat({ ...worded("best"), max_tokens: 5 }, key));
      // The choice may have changed since it was looked at.
      if (body.model !== "Acme#wise") break;
      await post(own, "/v1/feedback", { id: body.id, score: 0 }, key);
      if ((await at(own.url)).choice !== "Acme#wise") break;
    }
    for (const url of [own.url, other.url]) {
      const view = await whenChosen(url, "Acme#plain");
      const quality = (one: JsonObject, model: string) => Number(candidate(one, model).quality);
      const fell = quality(before, "Acme#wise") - quality(view, "Acme#wise");
      expect(fell).toBeWithin(0.05, SHIFT_MAX + 0.001);
      expect(quality(view, "Acme#plain")).toBe(quality(before, "Acme#plain"));
    }
    expect(await poundkey(own, "--learned", "--json")).toContain('"model": "Acme#wise"');
    await poundkey(own, "--forget");
    const qualities = (one: JsonObject) => readCandidates(one).map(({ model, quality }) => [model, quality]);
    for (const url of [own.url, other.url])
      expect(qualities(await whenChosen(url, "Acme#wise"))).toEqual(qualities(before));
  } finally {
    await other.stop();
    await own.stop();
  }
}, 300_000);
