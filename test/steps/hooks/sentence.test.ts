// The end of a sentence, as hooks find it.
import { expect, test } from "bun:test";
import { endsSentence } from "../../../src/steps/hooks/sentence.ts";
import { compareTimes } from "../../surfaces/growth/measure.ts";

/** The definition, which takes quadratic time. */
const SENTENCE_END = /[.!?…。！？\n]["'”’)\]]*\s*$/;
const CHARACTERS = [".", "\n", "'", ")", "”", " ", "\t", "\u3000", "。", "x"];
const LENGTH = 5;

test("every short text ends a sentence by the function as by the definition", () => {
  let texts = [""];
  for (let length = 0; length <= LENGTH; length++) {
    expect(texts.filter((text) => endsSentence(text) !== SENTENCE_END.test(text))).toEqual([]);
    texts = texts.flatMap((text) => CHARACTERS.map((character) => text + character));
  }
});

test.each(["\n", ")", ".)", " ", "\n ", '."\n'])("%j many times takes time in proportion", (part) => {
  const judge = (count: number) => () =>
    endsSentence(`${part.repeat(count)}x`) || endsSentence(part.repeat(count));
  expect(compareTimes(judge(1000), judge(8000), 27)).toBeLessThan(27);
});
