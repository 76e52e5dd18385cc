// Judgments by a model: both orders of the answers are asked for, and an answer whose place decides isn't scored.
import { expect, test } from "bun:test";
import { joinJudgments, readJudgment, writeJudgment } from "../../src/learning/judging.ts";

const MESSAGES = [{ role: "user", content: "Name a river." }] as const;

test("the judge sees the task and the answers in order, and must give points to each", () => {
  const { messages, response_format } = writeJudgment("Acme#wise", MESSAGES, ["the Elbe", "the Alps"]);
  const asked = String(messages.at(-1)?.content);
  expect(asked).toContain("<task>\n[user]\nName a river.\n</task>");
  expect(asked).toContain("<answer_1>\nthe Elbe\n</answer_1>\n\n<answer_2>\nthe Alps\n</answer_2>");
  expect(JSON.stringify(response_format)).toContain('"required":["answer_1","answer_2"]');
});

test("a long answer is cut in the middle", () => {
  const asked = writeJudgment("Acme#wise", MESSAGES, [`a${"b".repeat(50_000)}c`, "d"]).messages.at(
    -1,
  )?.content;
  expect(String(asked).length).toBeLessThan(15_000);
  expect(String(asked)).toContain("bc\n</answer_1>");
});

test.each<[string, number, readonly number[] | null]>([
  ['{"answer_1": 10, "answer_2": 0}', 2, [1, 0]],
  ['Here: ```json\n{"answer_1": 7, "answer_2": 5}\n```', 2, [0.7, 0.5]],
  ['{"answer_1": 10}', 2, null],
  ['{"answer_1": 11, "answer_2": 0}', 2, null],
  ["The first one is better.", 2, null],
])("points are read from %s", (reply, count, scores) => {
  expect(readJudgment(reply, count)).toEqual(scores);
});

test("a score is the mean of both orders, and null if the place decided", () => {
  expect(joinJudgments([0.8, 0.4, 0.5], [0.5, 0.2, 0.6])).toEqual([0.7, 0.30000000000000004, 0.5]);
  // A judge that always prefers what comes first.
  expect(joinJudgments([1, 0], [1, 0])).toEqual([null, null]);
});
