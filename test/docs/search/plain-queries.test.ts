// Plain queries to the manual's search: the sections that answer them are among the first results.
import { expect, test } from "bun:test";
import { findAnswer, findPlaces, listMissing } from "./manual-index.ts";
import { type PlainQuery, QUERY_LISTS } from "./plain-queries.ts";

/** Results that are seen without scrolling. */
const SEEN = 5;

function isAnswered({ query, answers }: PlainQuery): boolean {
  return findAnswer(answers, findPlaces(query, SEEN)) >= 0;
}

test("the answers exist", () => {
  const all = QUERY_LISTS.flatMap(({ queries }) => queries);
  expect(new Set(all.map(({ query }) => query)).size).toBe(133);
  expect(listMissing(all.flatMap(({ answers }) => answers))).toEqual([]);
});

test.each(QUERY_LISTS)("of $name queries, the first results answer all but $unansweredMax", (list) => {
  const unanswered = list.queries.filter((one) => !isAnswered(one)).map(({ query }) => query);
  console.log(`${unanswered.length} of ${list.queries.length} aren't answered: ${unanswered.join(", ")}`);
  expect(unanswered.length).toBeLessThanOrEqual(list.unansweredMax);
});
