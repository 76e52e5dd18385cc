// Streams of legacy completions with several answers, as llama.cpp sends them.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { makeCompletion, OPENAI_COMPLETION } from "../../../src/dialects/openai/completion.ts";
import type { CompletionRequest } from "../../../src/operations/completion/form.ts";
import { makeModelCard } from "../../harness/cards.ts";

const codec = makeCompletion(OPENAI_COMPLETION);

function read(ask: Pick<CompletionRequest, "prompts" | "n">, events: readonly unknown[]) {
  const request: CompletionRequest = { model: "m", extras: {}, stream: true, ...ask };
  const decoder = codec.decoder(makeModelCard("Local#m"), request);
  const texts: Record<number, string> = {};
  let usage: JsonObject | undefined;
  for (const event of [...events, "[DONE]"]) {
    const data = event === "[DONE]" ? event : JSON.stringify(event);
    for (const chunk of decoder.push({ event: "", data })) {
      usage = chunk.usage ?? usage;
      for (const { index, delta } of chunk.choices)
        texts[index] = (texts[index] ?? "") + (delta.content ?? "");
    }
  }
  decoder.end();
  return { texts, usage };
}

const said = (index: number, text: string) => ({ choices: [{ index, text, finish_reason: null }] });
const ended = (index: number, prompt_tokens: number, completion_tokens: number) => ({
  choices: [{ index, text: "", finish_reason: "stop" }],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});

test("a stream of several prompts may begin with null", () => {
  const events = [null, said(0, "a"), said(1, "b"), ended(0, 3, 2), ended(1, 4, 5)];
  const { texts, usage } = read({ prompts: ["abc", "def"], n: 1 }, events);
  expect(texts).toEqual({ 0: "a", 1: "b" });
  expect(usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 7 });
});

test("the usage of each of several answers counts, and their prompt once", () => {
  const events = [said(0, "a"), said(1, "b"), ended(0, 3, 2), ended(1, 3, 2)];
  expect(read({ prompts: ["abc"], n: 2 }, events).usage).toMatchObject({
    prompt_tokens: 3,
    completion_tokens: 4,
  });
});

test("a report of all answers counts as it is", () => {
  const total = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 9, total_tokens: 12 } };
  const events = [said(0, "a"), said(1, "b"), ended(0, 3, 2), ended(1, 3, 2), total];
  expect(read({ prompts: ["abc"], n: 2 }, events).usage).toMatchObject({ completion_tokens: 9 });
});
