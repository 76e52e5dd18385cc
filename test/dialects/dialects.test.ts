// Every feature at every model, in the same words: whole and streamed answers are equal and as requested.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { sampleRows } from "../harness/long.ts";
import { type Simulator, startSimulator } from "../simulator/server.ts";
import { type Answer, ask, comparable, readCount } from "./asking.ts";
import { EXCEPTIONS, findException } from "./exceptions.ts";
import { answered, type Feature, user } from "./feature.ts";
import { BOUND_FEATURES } from "./features-bounds.ts";
import { FIELD_FEATURES } from "./features-fields.ts";
import { FORMAT_FEATURES } from "./features-format.ts";
import { MESSAGE_FEATURES } from "./features-messages.ts";
import { RESULT_FEATURES } from "./features-results.ts";
import { TEXT_FEATURES } from "./features-text.ts";
import { DONE, FIRST, second, THINKING_FEATURES } from "./features-thinking.ts";
import { TOOL_FEATURES } from "./features-tools.ts";
import { HANDED, MODELS } from "./models.ts";
import { BREAKS, CALM, harmlessTo, PLACES, STREAMING } from "./streams.ts";
import { computeCost, pricedProviders, USAGE_ROWS } from "./usage.ts";

const FEATURES: readonly Feature[] = [
  ...TEXT_FEATURES,
  ...MESSAGE_FEATURES,
  ...TOOL_FEATURES,
  ...RESULT_FEATURES,
  ...FORMAT_FEATURES,
  ...THINKING_FEATURES,
  ...FIELD_FEATURES,
  ...BOUND_FEATURES,
];

let gateway: UnderTest;
/** Added to the providers that have prices. */
let priced: Simulator;
beforeAll(async () => {
  priced = await startSimulator();
  gateway = await startUnderTest({ more: pricedProviders(priced.url) });
});
afterAll(async () => {
  await gateway.stop();
  await priced.stop();
});

async function converse({ turns }: Feature, model: string, streamed: boolean): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const turn of turns) answers.push(await ask(gateway, { model, ...turn.ask(answers) }, streamed));
  return answers;
}

/** Of the models that each feature is tried at, one in so many: each model has all kinds of features. */
const MODELS_STEP = 6;

describe.each(FEATURES.map((feature, at) => [feature.name, feature, at] as const))("%s", (_, feature, at) => {
  test.each([...sampleRows(MODELS, MODELS_STEP, at)])("%s", async (model) => {
    const whole = await converse(feature, model, false);
    const streamed = await converse(feature, model, true);
    expect(streamed.map(comparable)).toEqual(whole.map(comparable));
    const exception = findException(feature.name, model);
    for (const [at, turn] of feature.turns.entries()) {
      const answer = whole[at];
      const isLast = at === feature.turns.length - 1;
      if (answer) (isLast && exception ? exception.expects : turn.expects)(answer);
    }
  });
});

test("each exception is needed by exactly one cell", () => {
  const cells = FEATURES.flatMap(({ name }) => MODELS.map((model) => [name, model] as const));
  for (const { features, models, why } of EXCEPTIONS) {
    expect([why, cells.some(([name, model]) => features.test(name) && models.test(model))]).toEqual([
      why,
      true,
    ]);
  }
  const twice = cells.filter(
    ([name, model]) =>
      EXCEPTIONS.filter(({ features, models }) => features.test(name) && models.test(model)).length > 1,
  );
  expect(twice).toEqual([]);
});

/** Of the models that each one's conversation continues at, one in so many. */
const HANDED_STEP = 3;

describe.each([...HANDED].map((from, at) => [from, at] as const))(
  "a conversation begun by %s continues",
  (from, at) => {
    test.each([...sampleRows([...HANDED], HANDED_STEP, at)])("at %s", async (to) => {
      const first = await ask(gateway, { model: from, ...FIRST }, true);
      answered(first);
      for (const streamed of [false, true])
        DONE(await ask(gateway, { model: to, ...second(first) }, streamed));
    });
  },
);

describe.each([false, true])("usage and cost, streamed: %p", (streamed) => {
  test.each(USAGE_ROWS.map((row) => [row.dialect, row] as const))("%s", async (_, row) => {
    const { provider, name, prompt, completion, cost } = row;
    const answer = await ask(
      gateway,
      { model: `${provider}#${name}`, messages: [user("say: yes")] },
      streamed,
    );
    answered(answer);
    const usage = asObject(answer.reply.usage);
    expect(usage).toMatchObject({
      prompt_tokens: 1000,
      completion_tokens: 200,
      total_tokens: 1200,
      charged: 0,
    });
    expect(asObject(usage.prompt_tokens_details)).toMatchObject(prompt);
    expect(asObject(usage.completion_tokens_details)).toMatchObject(completion);
    expect(usage.cost).toBeCloseTo(cost, 9);
  });
});

describe("costs match the card", () => {
  test.each([...MODELS])("%s", async (model) => {
    const answer = await ask(gateway, { model, messages: [user("say: yes")] }, false);
    const listed = await fetch(`${gateway.url}/v1/models/${encodeURIComponent(model)}`, {
      headers: { authorization: `Bearer ${gateway.secret}` },
    });
    const { pricing } = listed.ok ? asObject(await listed.json()) : { pricing: null };
    expect(asObject(answer.reply.usage).cost).toBeCloseTo(computeCost(asObject(pricing), answer), 9);
  });
});

/** Without the name of the disturbance. */
function undisturbed(answer: Answer) {
  const { reply, ...rest } = comparable(answer);
  return { ...rest, reply: { ...asObject(reply), model: "" } };
}

describe.each([...STREAMING])("a stream of %s", (model) => {
  const about = (trouble: string, streamed = true) =>
    ask(gateway, { ...FIRST, model: model + trouble }, streamed);

  test.each(harmlessTo(model))("is the same under %s", async (trouble) => {
    const calm = await about(CALM);
    answered(calm);
    expect(undisturbed(await about(`~${trouble}`))).toEqual(undisturbed(calm));
  });

  test("is estimated if it reports no usage", async () => {
    const { usage, ...calm } = (await about(CALM)).reply;
    const untold = await about("~no-usage");
    answered(untold);
    for (const field of ["prompt_tokens", "completion_tokens"])
      expect(readCount(untold, field)).toBeGreaterThan(0);
    expect(Object.keys(untold.reply).sort()).toEqual(Object.keys({ usage, ...calm }).sort());
  });

  test.each([...BREAKS])("is never complete after %s", async (trouble) => {
    for (const place of sampleRows(PLACES, 2)) {
      const { error } = await about(`~${trouble}~after=${place}`);
      expect([place, error?.type]).toEqual([place, expect.stringMatching(/^(api|rate_limit)_error$/)]);
    }
    expect((await about(`~${trouble}`, false)).status).toBeGreaterThanOrEqual(429);
  });
});

/** Cohere and Bedrock state no time, the others use their own format. */
describe.each(STREAMING.filter((model) => !/^(Cohere|Bedrock)/.test(model)))("%s is busy", (model) => {
  test.each([
    ["7", "7"],
    ["600", "60"],
  ])("for %s s", async (told, shown) => {
    const busy = await ask(
      gateway,
      { model: `${model}~429~retry=${told}`, messages: [user("hello")] },
      false,
    );
    expect([busy.status, busy.error?.code, busy.headers.get("retry-after")]).toEqual([
      429,
      "provider_busy",
      shown,
    ]);
  });
});
