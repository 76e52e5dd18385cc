// Long answers are searched in steps, in whatever form they come: each looks at a bounded number of characters.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { GuardRule, GuardSettings } from "../../../src/core/models/guard.ts";
import { filterText } from "../../../src/guard/text-filter.ts";
import { isChunk } from "../../../src/operations/chat/answer/run.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import type { ChatChunk, ChatReply } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { FilteredAnswer } from "../../../src/steps/guard/filtered.ts";
import { hideAnswer } from "../../../src/steps/guard/hide.ts";
import { KnownPlaces } from "../../../src/steps/guard/known.ts";
import { GuardSearch } from "../../../src/steps/guard/search.ts";
import { SwappedValues } from "../../../src/steps/guard/terms.ts";

const CHARACTERS = 500_000;
/** A step's characters, each looked at some times. */
const STEP_LOOKUPS_MAX = 16_384 * 25;
const CARD = "4532 0151 1283 0366";
const RULE: GuardRule = {
  name: "cards",
  detect: ["card", "private_key"],
  action: "mask",
  at: ["request", "answer"],
  keys: ["*"],
  accounts: ["*"],
  models: ["*"],
  providers: ["*"],
  refusesAttachments: false,
};
const SETTINGS: GuardSettings = { version: "1", rules: [RULE], words: new Map(), allow: [] };
const search = new GuardSearch(SETTINGS, { known: new KnownPlaces(new Uint8Array(32)), nowMs: () => 0 });

const { charCodeAt, slice } = String.prototype;
let lookups = 0;
beforeAll(() => {
  String.prototype.charCodeAt = function (at) {
    lookups++;
    return charCodeAt.call(this, at);
  };
  String.prototype.slice = function (from, to) {
    const part = slice.call(this, from, to);
    lookups += part.length;
    return part;
  };
});
afterAll(() => Object.assign(String.prototype, { charCodeAt, slice }));

const TEXTS = [
  ["values", `${CARD}, `],
  ["what begins as values", "4532 0151 1283 0367 "],
  ["prose", "the quick brown fox jumps over the lazy dog "],
] as const;
const makeText = (part: string) => part.repeat(Math.ceil(CHARACTERS / part.length));
const mask = (text: string) => text.replaceAll(CARD, "[CARD]");

function makeReply(content: string): ChatReply {
  const message = { role: "assistant" as const, content, refusal: null };
  return { choices: [{ index: 0, message, finish_reason: "stop", logprobs: null }] };
}

/** Takes steps one by one, and says how much the longest looked at. */
function makeTaker() {
  const looked: number[] = [];
  const next = <Result>(steps: Generator<undefined, Result>) => {
    lookups = 0;
    const step = steps.next();
    looked.push(lookups);
    return step;
  };
  return {
    looked,
    async takeSteps<Result>(steps: Generator<undefined, Result>): Promise<Result> {
      let step = next(steps);
      while (!step.done) step = next(steps);
      return step.value;
    },
  };
}

function beginAnswer({ takeSteps }: ReturnType<typeof makeTaker>) {
  const scanner = search.chooseForAnswers([RULE]);
  return new FilteredAnswer<ChatForm>({
    operation: CHAT,
    native: null,
    open: (_place, watch) => filterText(watch(scanner.begin("", () => "[CARD]"))),
    finish: () => {},
    takeSteps,
  });
}

function expectSteps({ looked }: ReturnType<typeof makeTaker>): void {
  expect(looked.length).toBeGreaterThanOrEqual(Math.floor(CHARACTERS / 16_384));
  expect(Math.max(...looked)).toBeLessThan(STEP_LOOKUPS_MAX);
}

test.each(TEXTS)("a whole answer of %s", async (_, part) => {
  const text = makeText(part);
  const taker = makeTaker();
  const shown = await beginAnswer(taker).whole(makeReply(text));
  expect(shown.choices[0]?.message.content).toBe(mask(text));
  expectSteps(taker);
});

test.each(TEXTS)("a piece of a stream with %s, and what follows it", async (_, part) => {
  const text = makeText(part);
  const chunk = (content: string): ChatChunk => ({
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  });
  const taker = makeTaker();
  const answer = beginAnswer(taker);
  const passed = [...(await answer.pass([chunk(text), chunk("end")])), ...answer.end()];
  const said = passed.flatMap((piece) =>
    isChunk(piece) ? piece.choices.map(({ delta }) => delta.content ?? "") : [],
  );
  expect(said.join("")).toBe(`${mask(text)}end`);
  expectSteps(taker);
});

test.each(TEXTS)("an answer of %s as it is logged", async (_, part) => {
  const text = makeText(part);
  const taker = makeTaker();
  const terms = { search, rules: [RULE], swapped: new SwappedValues("key") };
  const logged = await taker.takeSteps(hideAnswer(CHAT, makeReply(text), terms));
  expect(logged.choices[0]?.message.content).toBe(mask(text));
  expectSteps(taker);
});

test("an answer is logged without many values as JSON writes them", async () => {
  const swapped = new SwappedValues("key");
  const values = Array.from({ length: 20 }, (_, at) => `key ${at}\nof two lines`);
  const names = values.map((value) => swapped.swap("private_key", value));
  const text = JSON.stringify({ values, rest: makeText(TEXTS[2][1]) });
  const taker = makeTaker();
  const terms = { search, rules: [RULE], swapped };
  const logged = await taker.takeSteps(hideAnswer(CHAT, makeReply(text), terms));
  const { content } = logged.choices[0]?.message ?? {};
  expect(JSON.parse(String(content)).values).toEqual(names.map((name) => `<${name}>`));
  expectSteps(taker);
});
