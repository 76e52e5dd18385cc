// The settings of a generateContent request on other vendors' models: log probabilities come back in Google's form, and
// what only Google has is named.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { AnswerReader } from "../../../src/operations/chat/answer/answer.ts";
import { findDialect } from "../../../src/providers/index.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { makeCard, whole, writeStream as writeEvents } from "../../dialects/cases/drive.ts";
import { findChatCodec } from "../../harness/codec.ts";
import { decoded } from "../../harness/decoded.ts";
import { incoming, STAMP, writeStream } from "../recorded.ts";

function read(generationConfig: JsonObject, verb = "generateContent") {
  const contents = [{ role: "user", parts: [{ text: "Well?" }] }];
  return GEMINI.read(incoming({ contents, generationConfig }, `/v1beta/models/m:${verb}`));
}

const TOKENS: readonly (readonly [string, number])[] = [
  ["Hello", -0.25],
  ["!", -0.75],
];
const written = (token: string, logProbability: number) => ({ token, logProbability });
const chat = ([token, logprob]: readonly [string, number]) => ({
  token,
  logprob,
  bytes: null,
  top_logprobs: [
    { token, logprob, bytes: null },
    { token: "Hi", logprob: -2, bytes: null },
  ],
});
const ASKED = { responseLogprobs: true, logprobs: 2 };

describe("log probabilities", () => {
  const openai = findDialect("openai");

  test("are written with a whole answer, and with their mean", () => {
    const { ask, whole: write } = read(ASKED);
    expect(ask).toMatchObject({ logprobs: true, top_logprobs: 2 });
    const message = { role: "assistant", content: "Hello!" };
    const logprobs = { content: TOKENS.map(chat), refusal: null };
    const body = { choices: [{ index: 0, message, finish_reason: "stop", logprobs }] };
    const [candidate] = asArray(asObject(write(whole(openai, body), STAMP)).candidates).map(asObject);
    expect(candidate?.avgLogprobs).toBe(-0.5);
    expect<unknown>(candidate?.logprobsResult).toEqual({
      topCandidates: TOKENS.map(([token, value]) => ({
        candidates: [written(token, value), written("Hi", -2)],
      })),
      chosenCandidates: TOKENS.map(([token, value]) => written(token, value)),
    });
  });

  test("are streamed with the text that they belong to, their mean at the end", () => {
    const exchange = read(ASKED, "streamGenerateContent?alt=sse");
    const chunk = (delta: JsonObject, logprobs: JsonObject | null, finish: string | null = null) => ({
      id: "c",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs, finish_reason: finish }],
    });
    const events = TOKENS.map((token) =>
      chunk({ content: token[0] }, { content: [chat(token)], refusal: null }),
    );
    const text = writeEvents([...events, chunk({}, null, "stop"), "[DONE]"]);
    const reader = new AnswerReader({
      decoder: findChatCodec(openai).decoder(makeCard("m", null), exchange.ask),
      request: exchange.ask,
      choiceOffset: 0,
      stops: [],
      splices: true,
      verbatim: false,
    });
    const pieces = [];
    for (const piece of decoded([new TextEncoder().encode(text)]))
      pieces.push(...(reader.push(piece)?.pieces ?? []));
    pieces.push(...reader.end().pieces, ...reader.finish());
    const responses = writeStream(exchange, pieces, true)
      .split("\n\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => asObject(JSON.parse(line.slice("data: ".length))));
    const candidates = responses.flatMap((one) => asArray(one.candidates).map(asObject));
    const chosen = candidates.map(({ logprobsResult }) => asObject(logprobsResult).chosenCandidates);
    const [first, second] = TOKENS.map(([token, value]) => [written(token, value)]);
    expect<unknown>(chosen).toEqual([first, second, undefined]);
    expect(candidates.map(({ avgLogprobs }) => avgLogprobs)).toEqual([undefined, undefined, -0.5]);
  });

  test("are missing if there are none", () => {
    const { whole: write } = read({});
    const message = { role: "assistant", content: "Hello!" };
    const body = { choices: [{ index: 0, message, finish_reason: "stop", logprobs: null }] };
    expect(JSON.stringify(write(whole(openai, body), STAMP))).not.toMatch(/logprobs/i);
  });
});

describe("settings that only Google has", () => {
  test.each<[string, JsonObject, readonly string[]]>([
    ["speech", { speechConfig: { languageCode: "de" } }, ["speechConfig"]],
    ["pictures", { responseModalities: ["TEXT", "IMAGE"] }, ["responseModalities"]],
    ["text", { responseModalities: ["TEXT"], speechConfig: null }, []],
    ["resolution", { mediaResolution: "MEDIA_RESOLUTION_LOW" }, ["mediaResolution"]],
    ["the future", { fromNextYear: 1 }, ["fromNextYear"]],
    ["what is read", { ...ASKED, topK: 3, stopSequences: ["x"], thinkingConfig: { thinkingBudget: 0 } }, []],
  ])("%s: they are named", (_, config, names) => {
    expect(read(config).lost).toEqual(names.map((name) => `generationConfig.${name}`));
  });
});
