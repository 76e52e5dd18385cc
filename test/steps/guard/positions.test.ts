// Positions in the texts of recorded answers, once a word of these is replaced: what was cited is cited still.
import { expect, test } from "bun:test";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import type { ChatChunk, Delta } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { MovedAnswer } from "../../../src/steps/guard/positions.ts";
import { type Answer, listAnswers } from "../../operations/texts/answers.ts";
import { atLeast } from "../../recorded/load.ts";
import { listCited, type Replacement, replaceWord } from "./replacing.ts";

const answers = listAnswers().filter((answer) => listCited(answer).some((cited) => cited !== ""));

const EMOJI: Replacement = { word: "e", by: "🙂e" };

/** Numbers from 0 to 9 that follow from the seed. */
function makeCut(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor(state / 65536) % 10;
  };
}

/** The word that stands most often in the answer's text. */
function chooseWord({ reply }: Answer): string {
  const counts = new Map<string, number>();
  const text = reply.choices.map(({ message }) => message.content ?? "").join(" ");
  for (const [word] of text.matchAll(/[A-Za-z]{3,}/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const [most] = [...counts].sort(([, first], [, second]) => second - first);
  return most?.[0] ?? "";
}

/** By a longer one, and by less. */
function listReplacements(word: string): readonly Replacement[] {
  return [
    { word, by: `${word} (é ${word})` },
    { word, by: word.slice(0, 1) },
  ];
}

/** Of what the answer cited, what it should cite now and doesn't. */
function listLost(before: Answer, after: Answer, { word, by }: Replacement): readonly string[] {
  const cited = listCited(before);
  const now = listCited(after);
  const lost = cited.flatMap((text, at) => {
    const expected = text.replaceAll(word, by);
    return now[at] === expected ? [] : [`${before.id}: '${now[at]}' for '${expected}'`];
  });
  return now.length === cited.length ? lost : [`${before.id}: ${now.length} for ${cited.length}`];
}

test("a recorded answer cites the same text once a word is replaced", () => {
  const cut = makeCut(1);
  const lost = answers.flatMap((answer) =>
    listReplacements(chooseWord(answer)).flatMap((replacement) =>
      listLost(answer, replaceWord(answer, replacement, cut), replacement),
    ),
  );
  expect(lost).toEqual([]);
  expect(answers.length).toBeGreaterThanOrEqual(atLeast(100));
});

test("the same behind characters of two units", () => {
  const cut = makeCut(2);
  const lost = answers.flatMap((answer) => {
    const full = replaceWord(answer, EMOJI, cut);
    const word = chooseWord(answer).replaceAll(EMOJI.word, EMOJI.by);
    return [
      ...listLost(answer, full, EMOJI),
      ...listReplacements(word).flatMap((replacement) =>
        listLost(full, replaceWord(full, replacement, cut), replacement),
      ),
    ];
  });
  expect(lost).toEqual([]);
});

const makeChunk = (delta: Delta): ChatChunk => ({ choices: [{ index: 0, delta, finish_reason: null }] });
const say = (content: string) => makeChunk({ content });
const cite = (start_index: number, end_index: number) => {
  const url_citation = { url: "https://a.example/", title: "A", start_index, end_index };
  return makeChunk({ annotations: [{ type: "url_citation", url_citation }] });
};

/** Returns a function that adds to the text and decides these parts of it. */
function openLate(moved: MovedAnswer<ChatForm>) {
  let decided: readonly { readonly length: number; readonly by: string | null }[] = [];
  const place = { kind: "text", path: "choices[0].delta.content" };
  const filter = moved.moves.watch(place, { push: () => decided, end: () => decided });
  return (text: string, ...now: typeof decided) => {
    decided = now;
    filter.push(text);
  };
}

test("a citation of what is held back waits for it, and so does what follows", () => {
  const moved = new MovedAnswer<ChatForm>(CHAT, null);
  const push = openLate(moved);
  push("Ask NAME", { length: 4, by: null });
  expect(moved.pass([say("Ask "), cite(4, 8), say("")])).toEqual([say("Ask ")]);
  push(" now", { length: 4, by: "Ada Lovelace" });
  expect(moved.pass([say("Ada Lovelace")])).toEqual([cite(4, 16), say(""), say("Ada Lovelace")]);
  expect(moved.pass([cite(8, 20)])).toEqual([cite(16, 28)]);
  expect(moved.end()).toEqual([]);
});

test("a citation whose text never comes leaves at once, and the last ones at the end", () => {
  const moved = new MovedAnswer<ChatForm>(CHAT, null);
  const push = openLate(moved);
  push("Ask");
  expect(moved.pass([cite(0, 99), cite(0, 3)])).toEqual([cite(0, 99)]);
  expect(moved.end()).toEqual([cite(0, 3)]);
});
