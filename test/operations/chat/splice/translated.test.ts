// The fast path of translated streams against the slow one: the same bytes to the client, the same frames on a socket, and the
// same kept answer, for any input.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/core/json/json.ts";
import { CAPABILITIES } from "../../../../src/core/models/card.ts";
import type { Part } from "../../../../src/operations/chat/answer/run.ts";
import type { ChatForm } from "../../../../src/operations/chat/decoder.ts";
import { findDialect } from "../../../../src/providers/index.ts";
import { ANTHROPIC_MESSAGES } from "../../../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../../../src/surfaces/gemini/surface.ts";
import { INTERACTIONS } from "../../../../src/surfaces/interactions/surface.ts";
import { OPENAI_RESPONSES } from "../../../../src/surfaces/openai-responses/surface.ts";
import type { Exchange, Surface, Writer } from "../../../../src/surfaces/surface.ts";
import { makeModelCard } from "../../../harness/cards.ts";
import { IS_LONG, sampleRows } from "../../../harness/long.ts";
import { listCuts } from "../../../recorded/cuts.ts";
import { readTraffic } from "../../../recorded/load.ts";
import { encodeText, makeSubject } from "../../../recorded/pipeline.ts";
import { incoming, STAMP } from "../../../surfaces/recorded.ts";
import { compare, type Subject } from "./both.ts";
import { anthropicStream, chatStream, cutStream, Dice } from "./streams.ts";
import { makeTurn } from "./turns.ts";

const MANY_CUTS_MS = 60_000;
/** Of the recorded streams, one in so many is cut everywhere, and all in the long form. */
const STEP = 30;
const SEEDS = Array.from({ length: IS_LONG ? 400 : 25 }, (_, seed) => seed + 1);

const QUESTION = { role: "user", content: "a" };
const FUNCTION = { name: "f", parameters: { type: "object" } };
const RESPONSES = { model: "m", input: [QUESTION], stream: true };

const read = (surface: Surface<ChatForm>, body: JsonObject, path?: string) =>
  surface.read(incoming(body, path));

/** Returns an exchange whose model may call tools that the gateway runs. */
function askOwnTools(): Exchange<ChatForm> {
  const tool = {
    name: "f",
    fullName: "f",
    description: null,
    inputSchema: { type: "object" },
    annotations: undefined,
  };
  const shown = [{ label: "own", tools: [tool], error: null }];
  const tools = [{ type: "mcp", server_label: "own", server_url: "https://gateway.test/mcp" }];
  const asked = OPENAI_RESPONSES.gatewayTools?.begin(incoming({ ...RESPONSES, tools }), shown).ask(true);
  if (!asked) throw new Error("Nothing is asked.");
  return asked;
}

const CLIENTS: Readonly<Record<string, () => Exchange<ChatForm>>> = {
  Messages: () =>
    read(ANTHROPIC_MESSAGES, {
      model: "m",
      max_tokens: 10,
      messages: [QUESTION],
      tools: [{ name: "f", input_schema: { type: "object" } }],
    }),
  Responses: () => read(OPENAI_RESPONSES, { ...RESPONSES, tools: [{ type: "function", ...FUNCTION }] }),
  "Responses with the gateway's own tools": askOwnTools,
  Gemini: () =>
    read(
      GEMINI,
      { contents: [{ role: "user", parts: [{ text: "a" }] }] },
      "/v1beta/models/m:streamGenerateContent",
    ),
  Interactions: () => read(INTERACTIONS, { model: "m", input: "a", stream: true }),
};

const makeWriterOf =
  (name: string): (() => Writer<Part>) =>
  () => {
    const exchange = CLIENTS[name]?.();
    if (!exchange) throw new Error(`${name} is no client.`);
    return exchange.writer(() => STAMP);
  };

/** The tools that a client's model can call. */
function listTools(name: string): readonly [string, ...string[]] {
  const names = (CLIENTS[name]?.().ask.tools ?? []).flatMap((tool) =>
    tool.type === "function" ? [tool.function.name] : [],
  );
  return ["unknown", ...names];
}

const makeMade = (name: "openai" | "anthropic"): Subject => ({
  dialect: findDialect(name),
  card: makeModelCard(`Here#${name}`, { capabilities: new Set(CAPABILITIES) }),
  request: { model: `Here#${name}`, messages: [{ role: "user", content: "Hi" }], stream: true },
});

const recordings = readTraffic().recordings.filter(({ streamed }) => streamed);
const FILES = [...Map.groupBy(recordings, ({ file }) => file)];

describe.each(Object.keys(CLIENTS))("to %s", (name) => {
  const makeWriter = makeWriterOf(name);

  test.each(FILES)(
    "recorded streams of %s",
    (_file, own) => {
      for (const recording of sampleRows(own, STEP, Object.keys(CLIENTS).indexOf(name))) {
        const subject = { ...makeSubject(recording), makeWriter };
        compare(subject, [encodeText(recording.body)]);
        for (const { pieces } of listCuts(recording)) compare(subject, pieces);
      }
    },
    MANY_CUTS_MS,
  );

  test("streams as models send them", () => {
    const tools = listTools(name);
    for (const seed of SEEDS) {
      const dice = new Dice(seed);
      const text = makeTurn(dice, tools);
      const subject = { ...makeMade("openai"), makeWriter };
      compare(subject, [encodeText(text)]);
      compare(subject, cutStream(text, dice));
    }
  });

  test.each([
    ["openai", chatStream],
    ["anthropic", anthropicStream],
  ] as const)("streams of %s that are hard to splice", (dialect, stream) => {
    for (const seed of SEEDS) {
      const dice = new Dice(seed);
      const text = stream(dice);
      const subject = { ...makeMade(dialect), makeWriter };
      compare(subject, [encodeText(text)]);
      compare(subject, cutStream(text, dice));
    }
  });
});

const COPYING = Object.keys(CLIENTS).filter((name) => name !== "Interactions");
const PIECES = 200;
/** Those from which is learnt, and those that the writer gets together. */
const PARSED_MAX = 5;

const makePieces = (make: (word: string) => object) =>
  Array.from({ length: PIECES }, (_, at) => makeLine(make(`word ${at}`)));

function makeLine(delta: object, reason: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
}

const TEXTS = makePieces((content) => ({ content }));
const THOUGHTS = makePieces((word) => ({ reasoning_content: word }));
const ARGUMENTS = [
  makeLine({ tool_calls: [{ index: 0, id: "c", function: { name: "unknown", arguments: '{"a":"' } }] }),
  ...makePieces((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
  makeLine({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }),
];

test.each([
  ...COPYING.flatMap((name) => [
    [name, "texts", TEXTS] as const,
    [name, "thoughts", THOUGHTS] as const,
    // Gemini's clients get a call as a whole.
    ...(name === "Gemini" ? [] : [[name, "arguments", ARGUMENTS] as const]),
  ]),
])("to %s, nearly all %s are copied, in one read and in many", (name, _what, lines) => {
  const subject = { ...makeMade("openai"), makeWriter: makeWriterOf(name) };
  const events = [
    makeLine({ role: "assistant", content: "" }),
    ...lines,
    makeLine({}, "stop"),
    "data: [DONE]\n\n",
  ];
  for (const pieces of [[encodeText(events.join(""))], events.map(encodeText)]) {
    const { spliced, parsed } = compare(subject, pieces);
    expect(spliced).toBeGreaterThan(PIECES - PARSED_MAX);
    expect(parsed).toBeLessThanOrEqual(PARSED_MAX);
  }
});
