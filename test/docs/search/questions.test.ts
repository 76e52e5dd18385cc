// Questions as people typed them, and titles of public threads: the manual's search answers them.
import { expect, test } from "bun:test";
import { findAnswer, findPlaces, listMissing } from "./manual-index.ts";
import { PUBLIC_QUESTIONS, type Question, TYPED_QUESTIONS } from "./questions.ts";

/** A title of a thread is answered by one of the first three results, which need no scrolling on any screen. */
const SEEN = 3;

/** Lists the questions without an answer among the first results, with what stands there. */
function listUnanswered(questions: readonly Question[], count: number): readonly string[] {
  return questions.flatMap(({ query, answers }) => {
    const found = findPlaces(query, count);
    return findAnswer(answers, found) < 0 ? [`${query}: ${found.join(" ") || "nothing"}`] : [];
  });
}

test("there are forty and fifty, each once, and each public one has its thread", () => {
  const all = [...TYPED_QUESTIONS, ...PUBLIC_QUESTIONS];
  expect([TYPED_QUESTIONS.length, PUBLIC_QUESTIONS.length]).toEqual([40, 50]);
  expect(new Set(all.map(({ query }) => query)).size).toBe(90);
  const threads = new Set(PUBLIC_QUESTIONS.map(({ thread }) => thread));
  expect(threads.size).toBe(50);
  for (const thread of threads)
    expect(thread).toMatch(/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/issues\/\d+$/);
});

test("the manual has the answers", () => {
  const answers = [...TYPED_QUESTIONS, ...PUBLIC_QUESTIONS].flatMap((question) => question.answers);
  expect(listMissing(answers)).toEqual([]);
});

test.each([
  { name: "typed questions at the first place", questions: TYPED_QUESTIONS, count: 1, unansweredMax: 4 },
  {
    name: `titles of threads among the first ${SEEN}`,
    questions: PUBLIC_QUESTIONS,
    count: SEEN,
    unansweredMax: 4,
  },
])("the search answers $name, but for $unansweredMax", ({ name, questions, count, unansweredMax }) => {
  const unanswered = listUnanswered(questions, count);
  console.log(`${questions.length - unanswered.length} of ${questions.length} ${name}. Not:`);
  for (const one of unanswered) console.log(`  ${one}`);
  expect(unanswered.length).toBeLessThanOrEqual(unansweredMax);
});
