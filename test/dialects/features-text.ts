// Features of plain text: its content, where it stops, the number of answers.
import { expect } from "bun:test";
import { asNumber, asObject, asString } from "../../src/core/json/json.ts";
import { type Answer, readCount, readFinish, readMessage, readWords } from "./asking.ts";
import { answered, type Feature, feature, says, user } from "./feature.ts";

const GREETING = "grüß dich 👋🏽, Wörld — 日本";

function endsAtLimit(tokensMax: number): (answer: Answer) => void {
  return (answer) => {
    answered(answer);
    expect(readFinish(answer)).toBe("length");
    expect(readCount(answer, "completion_tokens")).toBeLessThanOrEqual(tokensMax);
  };
}

/** `count` choices, each with this text. */
function gives(count: number, text: RegExp): (answer: Answer) => void {
  return (answer) => {
    answered(answer);
    const texts = Array.from({ length: count }, (_, at) => readWords(answer, at));
    for (const each of texts) expect(each).toMatch(text);
    expect(texts.map((_, at) => readFinish(answer, at))).toEqual(texts.map(() => "stop"));
    expect(answer.reply.choices).toHaveLength(count);
  };
}

const long = { messages: [user("long 80")] };
const stopping = { messages: [user("say: one STOP two END three")] };

/** The simulator's rule for counts. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The usage follows the rule. Thinking counts as output, whether or not the dialect reports it separately. */
function counted(asked: string, said: string): (answer: Answer) => void {
  return (answer) => {
    says(said)(answer);
    const { reasoning_tokens: thought } = asObject(asObject(answer.reply.usage).completion_tokens_details);
    const shown = tokensOf(asString(readMessage(answer).reasoning_content) ?? "");
    expect(readCount(answer, "prompt_tokens")).toBe(tokensOf(asked));
    expect(readCount(answer, "completion_tokens")).toBe(tokensOf(said) + (asNumber(thought) ?? shown));
    if (shown > 0 && thought !== undefined) expect(thought).toBe(shown);
  };
}

export const TEXT_FEATURES: readonly Feature[] = [
  feature("text", { messages: [user(`say: ${GREETING}`)] }, counted(`say: ${GREETING}`, GREETING)),
  feature(
    "text in parts",
    {
      messages: [
        user([
          { type: "text", text: "Please " },
          { type: "text", text: `say: ${GREETING}` },
        ]),
      ],
    },
    says(GREETING),
  ),
  feature("long text", long, (answer) => {
    answered(answer);
    expect(readWords(answer)).toEndWith(" word79 word80");
  }),
  feature("stop as a string", { ...stopping, stop: "STOP" }, says("one ")),
  feature("stop as a list", { ...stopping, stop: ["nowhere", "END", "STOP"] }, says("one ")),
  feature("four stops", { ...stopping, stop: ["a1", "b2", "c3", "STOP"] }, says("one ")),
  feature("max_tokens", { ...long, max_tokens: 20 }, endsAtLimit(20)),
  feature("max_completion_tokens", { ...long, max_completion_tokens: 20 }, endsAtLimit(20)),
  feature("both limits", { ...long, max_tokens: 20, max_completion_tokens: 60 }, endsAtLimit(20)),
  feature("a tiny limit", { ...long, max_tokens: 1 }, endsAtLimit(16)),
  feature("a huge limit", { messages: [user("say: yes")], max_tokens: 10_000_000 }, says("yes")),
  feature("n: 2", { messages: [user("say: twice")], n: 2 }, gives(2, /^twice( \(choice 2\))?$/)),
  feature("n: 3 with stop", { ...stopping, n: 3, stop: ["STOP"] }, gives(3, /^one $/)),
  feature("a refusal", { messages: [user("please refuse this")] }, (answer) => {
    answered(answer);
    const words = asString(readMessage(answer).refusal) ?? readWords(answer);
    // A provider that stops for safety may send no text at all.
    if (words === "") expect(readFinish(answer)).toBe("content_filter");
    else expect(words).toContain("can't help");
  }),
];
