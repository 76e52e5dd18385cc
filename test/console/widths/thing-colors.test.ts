// A thing's colour in charts depends on its name alone, unless two of one chart want the same.
import { expect, test } from "bun:test";
import { chooseColors, THINGS_MAX } from "../../../src/console/parts/thing-colors.ts";

const MODELS = [
  "OpenAI#gpt-5.4",
  "Anthropic#claude-sonnet-5",
  "Mistral#mistral-large",
  "Google#gemini-3-pro",
  "xAI#grok-5",
];

test("colours don't depend on the order of the things", () => {
  const forward = chooseColors(MODELS);
  const backward = chooseColors(MODELS.toReversed());
  expect([...backward].toSorted()).toEqual([...forward].toSorted());
});

test("no two things of a chart have the same colour", () => {
  for (const ids of [MODELS, MODELS.map((id) => `${id}-mini`), ["a", "b", "c", "d", "e"]]) {
    expect(new Set(chooseColors(ids).values()).size).toBe(THINGS_MAX);
  }
});

test("of two that want the same colour, the first by name keeps it", () => {
  const colorOf = (id: string) => chooseColors([id]).get(id);
  const ids = Array.from({ length: 20 }, (_, at) => `model-${String(at).padStart(2, "0")}`);
  const first = ids[0] ?? "";
  const rival = ids.slice(1).find((id) => colorOf(id) === colorOf(first)) ?? "";
  const both = chooseColors([rival, first]);
  expect([both.get(first), both.get(rival) === colorOf(rival)]).toEqual([colorOf(first), false]);
});
