// Features of a conversation with tools: results in any order and form, and all kinds of histories.
import { expect } from "bun:test";
import { type Answer, readCalls, readMessage, readWords } from "./asking.ts";
import { answered, type Feature, feature, mentions, type Turn, user } from "./feature.ts";
import { asks, BOTH, CALLED, ONE, SAME, TOOLS } from "./features-tools.ts";

/** The text of each call's result, different by name so that a mix-up shows. */
const RESULTS: Readonly<Record<string, string>> = { weather: "sunny", clock: "noon" };

/** The tools' results for an answer's calls. */
export function makeResults(
  answer: Answer | undefined,
): { role: string; tool_call_id: string; content: string }[] {
  return readCalls(answer?.reply ?? {}).map(({ id, name, input }) => {
    const place = Object.values(Object(input)).join();
    return { role: "tool", tool_call_id: id, content: `${RESULTS[name]} in ${place}` };
  });
}

/** A conversation in which `text` causes calls and the client sends back their results. */
function withResults(
  name: string,
  text: string,
  expects: Turn["expects"],
  order: (results: ReturnType<typeof makeResults>) => readonly object[],
  more: object = {},
): Feature {
  return {
    name,
    turns: [
      { ask: () => asks(text, more), expects: answered },
      {
        ask: ([first]) => ({
          ...asks(text, more),
          messages: [user(text), first ? readMessage(first) : {}, ...order(makeResults(first))],
        }),
        expects,
      },
    ],
  };
}

const told = mentions("weather → sunny in Oslo", "clock → noon in CET");
const GIVEN_FEATURES: readonly Feature[] = [
  withResults("results", BOTH, told, (results) => results),
  withResults("results out of order", BOTH, told, (results) => results.toReversed()),
  withResults(
    "results of the same tool out of order",
    SAME,
    (answer) => {
      mentions("sunny in Oslo", "sunny in Rome")(answer);
      // Gemini matches results by place, so they are in the order of the calls.
      if (String(answer.reply.model).startsWith("Google")) expect(readWords(answer)).toMatch(/Oslo.*Rome/);
    },
    (results) => results.toReversed(),
  ),
  withResults("an empty result", ONE, mentions("weather → "), (results) =>
    results.map((result) => ({ ...result, content: "" })),
  ),
  withResults("a result in parts", ONE, mentions("weather → sunny in Oslo"), (results) =>
    results.map((result) => ({ ...result, content: [{ type: "text", text: result.content }] })),
  ),
  withResults("a result that is JSON", ONE, mentions('"sky":"blue"'), (results) =>
    results.map((result) => ({ ...result, content: '{"sky":"blue"}' })),
  ),
  withResults("the user after the results", BOTH, mentions("thanks"), (results) => [
    ...results,
    user("say: thanks"),
  ]),
  withResults("a system prompt after the results", BOTH, answered, (results) => [
    ...results,
    { role: "system", content: "Be brief." },
  ]),
];

const called = (id: string, content: string | null = null) => ({
  role: "assistant",
  content,
  tool_calls: [{ id, type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
});
const result = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
const history = (...messages: readonly object[]) => ({ tools: TOOLS, messages: [user("Hi."), ...messages] });
const FOREIGN = "functions.weather:0";

const HISTORY_FEATURES: readonly Feature[] = [
  feature(
    "words beside a call",
    history(called("call_1", "Let me see."), result("call_1", "sunny")),
    mentions("weather → sunny"),
  ),
  feature(
    "call ids of other makers, twice the same",
    history(
      called(FOREIGN),
      result(FOREIGN, "sunny"),
      { role: "assistant", content: "Sunny." },
      user("And now?"),
      called(FOREIGN),
      result(FOREIGN, "rainy"),
    ),
    mentions("weather → rainy"),
  ),
  feature(
    "a call without arguments in the history",
    history(
      {
        ...called("call_1"),
        tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: "" } }],
      },
      result("call_1", "sunny"),
    ),
    mentions("weather → sunny"),
  ),
  feature(
    "functions and their results, as they were called once",
    {
      functions: TOOLS.map((tool) => tool.function),
      messages: [
        user("Hi."),
        { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } },
        { role: "function", name: "weather", content: "sunny" },
      ],
    },
    mentions("weather → sunny"),
  ),
  feature(
    "calls in the history and no tools any more",
    { messages: [user("Hi."), called("call_1"), result("call_1", "sunny"), user("say: thanks")] },
    mentions("thanks"),
  ),
];

/** An agent at work: each round adds calls and results to the history. */
function rounds(count: number): Feature {
  const turns: Turn[] = [];
  for (let round = 0; round < count; round++) {
    turns.push(
      { ask: (before) => ({ ...asks(BOTH), messages: soFar(before, [user(BOTH)]) }), expects: CALLED },
      { ask: (before) => ({ ...asks(BOTH), messages: soFar(before, [user(BOTH)]) }), expects: told },
    );
  }
  return { name: `${count} rounds of calls`, turns };
}

/** The whole conversation: each answer unchanged, followed by its results or the next question. */
function soFar(before: readonly Answer[], question: readonly object[]): readonly object[] {
  const later = before.flatMap((answer) => {
    const results = makeResults(answer);
    return [readMessage(answer), ...(results.length > 0 ? results : question)];
  });
  return [...question, ...later];
}

export const RESULT_FEATURES: readonly Feature[] = [...GIVEN_FEATURES, ...HISTORY_FEATURES, rounds(3)];
