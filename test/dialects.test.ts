// Every feature at every model, in the same words: whole and streamed answers are the same, and are what was asked for.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Answer, ask, comparable } from "./dialects/asking.ts";
import { exceptionFor } from "./dialects/exceptions.ts";
import type { Feature } from "./dialects/feature.ts";
import { FORMAT_FEATURES } from "./dialects/features-format.ts";
import { MESSAGE_FEATURES } from "./dialects/features-messages.ts";
import { TEXT_FEATURES } from "./dialects/features-text.ts";
import { TOOL_FEATURES } from "./dialects/features-tools.ts";
import { MODELS } from "./dialects/models.ts";
import { startUnderTest, type UnderTest } from "./harness.ts";

const FEATURES: readonly Feature[] = [...TEXT_FEATURES, ...MESSAGE_FEATURES, ...TOOL_FEATURES, ...FORMAT_FEATURES];

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest();
});
afterAll(() => gateway.stop());

async function converse({ turns }: Feature, model: string, streamed: boolean): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const turn of turns) answers.push(await ask(gateway, { model, ...turn.ask(answers) }, streamed));
  return answers;
}

describe.each(FEATURES.map((feature) => [feature.name, feature] as const))("%s", (_, feature) => {
  test.each([...MODELS])("%s", async (model) => {
    const whole = await converse(feature, model, false);
    const streamed = await converse(feature, model, true);
    expect(streamed.map(comparable)).toEqual(whole.map(comparable));
    const exception = exceptionFor(feature.name, model);
    for (const [at, turn] of feature.turns.entries()) {
      const answer = whole[at];
      const isLast = at === feature.turns.length - 1;
      if (answer) (isLast && exception ? exception.expects : turn.expects)(answer);
    }
  });
});
