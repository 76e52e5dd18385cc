// A served request does what POST /v1/route predicted, and stores its decision.
import { afterAll, describe, expect, test } from "bun:test";
import { asNumber, asObject, asString } from "../../../src/core/json/json.ts";
import { SELECTORS } from "../../../src/core/models/selector.ts";
import { looked, PAIR, readCandidates, routed, startRouterFixture, worded } from "../../selectors/fixture.ts";
import { seen } from "../world/observe.ts";
import { until } from "../world/until.ts";

const gateway = await startRouterFixture();
/** A key that may use two models. */
const pair = await gateway.newKey({ allowed_models: PAIR, requests_per_day: null });
afterAll(() => gateway.stop());

const isServedBy = ({ headers }: Pick<Response, "headers">, model: unknown) =>
  headers.get("x-poundkey-model") === model;

describe("the explained choice is the actual choice", () => {
  const prompts = [
    "Which river flows through Prague?",
    "Write a Python function that reverses a linked list in place.",
    "Übersetze ins Englische: Der Hund schläft.",
  ];
  const cases = SELECTORS.flatMap((selector) => [false, true].map((stream) => [selector, stream] as const));
  test.each(cases)("Router#%s, streamed: %p", async (selector, stream) => {
    for (const words of prompts) {
      const body = worded(selector, words, { stream });
      const ask = async () => ({
        view: await routed(gateway, body, pair),
        answer: await seen(await gateway.chat(body, pair)),
      });
      let { view, answer } = await ask();
      // A speed that was measured in between may change the choice, but not each time.
      for (let again = 0; again < 3 && !isServedBy(answer, view.choice); again++)
        ({ view, answer } = await ask());
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-poundkey-selector")).toBe(`Router#${selector}`);
      if (answer.headers.get("x-poundkey-attempts") === "1")
        expect(answer.headers.get("x-poundkey-model")).toBe(String(view.choice));
      const id = asString(answer.body.id) ?? /"id":"(chatcmpl-[^"]+)"/.exec(answer.text)?.[1] ?? "";
      const row = await until("the row", async () => asObject(await looked(gateway, `/requests/${id}`)));
      expect(row).toMatchObject({ selector: `Router#${selector}`, model_asked: `Router#${selector}` });
      const decision = asObject(row.decision);
      expect(decision).toMatchObject({ selector, choice: view.choice, features: asObject(view.features) });
      expect(decision).not.toHaveProperty("row");
      const able = readCandidates(view).filter(({ eligible }) => eligible === true);
      expect(readCandidates(decision).map(({ model }) => model)).toEqual(able.map(({ model }) => model));
      for (const [at, { quality }] of readCandidates(decision).entries())
        expect(quality).toBeCloseTo(asNumber(able[at]?.quality) ?? -1, 2);
    }
  });

  test("the client's dial, or else the operator's, is stored with the decision", async () => {
    const shareOf = async (headers: Record<string, string>) => {
      const { body } = await seen(await gateway.chat(worded("fair"), { ...pair, headers }));
      return asObject((await looked(gateway, `/requests/${body.id}`)).decision).share;
    };
    expect(await shareOf({ "x-poundkey-quality": "0.5" })).toBe(0.5);
    expect(await shareOf({})).toBe(0.98);
  });

  test("a named model makes no decision", async () => {
    const { body } = await seen(await gateway.chat({ ...worded("fair"), model: "Acme#wise" }));
    expect(await looked(gateway, `/requests/${body.id}`)).toMatchObject({ selector: null, decision: null });
  });
});
