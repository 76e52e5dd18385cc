// Answers in a provider's own form, on every surface, whole and streamed: the envelope of a forced call doesn't reach the client,
// and the phases of an answer's messages come back to the model that gave them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { signText } from "../../../src/simulator/responder.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { listPhases } from "../../surfaces/crossing/conversations.ts";
import { SURFACE_KEYS, type SurfaceKey } from "../../surfaces/crossing/crossing.ts";
import { foldEvents } from "../../surfaces/interactions/interactions-read.ts";
import { type AskedSurface, askSurface } from "../world/surface-asking.ts";

/** An event stream, each event named by its type. */
function stream(events: readonly JsonObject[]): Response {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

const MAP = { a: { x: "y" } };
const CALL = { type: "tool_use", id: "t", name: "poundkey_output" };
const ENVELOPE = { parameters: MAP };

/** Claude's answer to a forced call, in an envelope. */
function answerEnveloped(isStreamed: boolean): Response {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "m", type: "message", role: "assistant", model: "m", stop_sequence: null };
  if (!isStreamed)
    return Response.json({
      ...message,
      content: [{ ...CALL, input: ENVELOPE }],
      stop_reason: "tool_use",
      usage,
    });
  const pieces = JSON.stringify(ENVELOPE).match(/.{1,5}/g) ?? [];
  return stream([
    { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
    { type: "content_block_start", index: 0, content_block: { ...CALL, input: {} } },
    ...pieces.map((partial_json) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json },
    })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ]);
}

type Said = readonly (readonly [phase: "commentary" | "final_answer" | "thinking", text: string])[];

/** Messages whose places don't say which is of which phase: with nothing but thinking between them, or nothing behind. */
const ANSWERS: readonly Said[] = [
  [
    ["commentary", "Let me look."],
    ["commentary", "Looking on."],
  ],
  [
    ["commentary", "Let me look."],
    ["final_answer", "It is blue."],
  ],
  [
    ["final_answer", "It is blue."],
    ["commentary", "Let me look once more."],
    ["final_answer", "It is red."],
  ],
  [["commentary", "Let me look."]],
  [
    ["thinking", "Where is it?"],
    ["commentary", "Let me look."],
  ],
  [
    ["commentary", "Let me look."],
    ["thinking", "Where is it?"],
    ["final_answer", "It is blue."],
  ],
  [
    ["final_answer", "It is blue."],
    ["thinking", "Is it?"],
    ["commentary", "Let me look once more."],
  ],
];

/** An item without its text, which comes in pieces. */
function makeItem([phase, text]: Said[number], at: number) {
  if (phase === "thinking") {
    const item = {
      type: "reasoning",
      id: `rs_${at}`,
      encrypted_content: `gAAAA${at}.${signText(String(at))}`,
    };
    return { whole: { ...item, summary: [{ type: "summary_text", text }] }, begun: { ...item, summary: [] } };
  }
  const item = { type: "message", id: `msg_${at}`, role: "assistant", status: "completed", phase };
  return {
    whole: { ...item, content: [{ type: "output_text", text, annotations: [] }] },
    begun: { ...item, content: [] },
  };
}

function listItemEvents(said: Said[number], output_index: number): readonly JsonObject[] {
  const [phase, delta] = said;
  const { whole: item, begun } = makeItem(said, output_index);
  const piece = { output_index, item_id: item.id, delta };
  return [
    { type: "response.output_item.added", output_index, item: begun },
    phase === "thinking"
      ? { type: "response.reasoning_summary_text.delta", summary_index: 0, ...piece }
      : { type: "response.output_text.delta", content_index: 0, ...piece },
    { type: "response.output_item.done", output_index, item },
  ];
}

/** An answer of several messages with phases. */
function answerPhased(said: Said, isStreamed: boolean): Response {
  const output = said.map((one, at) => makeItem(one, at).whole);
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const response = { id: "resp_1", object: "response", created_at: 1, model: "m", usage };
  const completed = { ...response, status: "completed", output };
  if (!isStreamed) return Response.json(completed);
  return stream([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...said.flatMap(listItemEvents),
    { type: "response.completed", response: completed },
  ]);
}

const LOOK = "Look at number";
const NEXT = "say: and now?";

const findSaid = (text: string) => ANSWERS[Number(/Look at number (\d)/.exec(text)?.[1] ?? Number.NaN)];

/** Answers a forced call, and the first request of a conversation. Others reach the simulated provider. */
const answerFirst: Fetch = async (input, init) => {
  const request = new Request(input, init);
  const text = await request.clone().text();
  const isStreamed = asObject(parseJson(text)).stream === true;
  if (text.includes(CALL.name)) return answerEnveloped(isStreamed);
  const said = text.includes(NEXT) ? undefined : findSaid(text);
  return said === undefined ? fetch(request) : answerPhased(said, isStreamed);
};

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ fetch: answerFirst });
});
afterAll(() => gateway.stop());

function readEvents(text: string): readonly JsonObject[] {
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => asObject(parseJson(line.slice("data: ".length))));
}

const join = (texts: readonly unknown[]) => texts.map((text) => asString(text) ?? "").join("");
const readParts = (body: JsonObject) =>
  asArray(body.candidates).flatMap((one) => asArray(asObject(asObject(one).content).parts).map(asObject));

/** The text of an answer's events, which of a whole answer is one. */
const TEXTS: Readonly<Record<SurfaceKey, (events: readonly JsonObject[], isStreamed: boolean) => string>> = {
  chat: (events) =>
    join(
      events.flatMap(({ choices }) =>
        asArray(choices).map((one) => asObject(asObject(one).message ?? asObject(one).delta).content),
      ),
    ),
  messages: (events, isStreamed) =>
    isStreamed
      ? join(events.map(({ delta }) => asObject(delta).text))
      : join(events.flatMap(({ content }) => asArray(content).map((block) => asObject(block).text))),
  responses: (events, isStreamed) =>
    isStreamed
      ? join(events.filter(({ type }) => type === "response.output_text.delta").map(({ delta }) => delta))
      : join(
          events.flatMap(({ output }) =>
            asArray(output).flatMap((item) =>
              asArray(asObject(item).content).map((one) => asObject(one).text),
            ),
          ),
        ),
  gemini: (events) => join(events.flatMap(readParts).map(({ text }) => text)),
};

/** A map, which Claude's own field for structured answers can't express. */
const SCHEMA = {
  type: "object",
  properties: { a: { type: "object", additionalProperties: { type: "string" } } },
};
const FORMAT = { name: "answer", schema: SCHEMA };
const HI = [{ role: "user", content: "hi" }];
const STRUCTURED: Readonly<Record<SurfaceKey, JsonObject>> = {
  chat: { messages: HI, response_format: { type: "json_schema", json_schema: FORMAT } },
  messages: { messages: HI, output_config: { format: { type: "json_schema", schema: SCHEMA } } },
  responses: { input: HI, text: { format: { type: "json_schema", ...FORMAT } } },
  gemini: {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: { responseMimeType: "application/json", responseJsonSchema: SCHEMA },
  },
};

/** Puts the blocks of a streamed message together. */
function foldBlocks(events: readonly JsonObject[]): readonly JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const { type, content_block, delta } of events) {
    if (type === "content_block_start") blocks.push({ ...asObject(content_block) });
    const block = blocks.at(-1);
    const { type: _, ...pieces } = asObject(type === "content_block_delta" ? delta : {});
    for (const [field, piece] of Object.entries(pieces))
      if (block) block[field] = `${asString(block[field]) ?? ""}${piece}`;
  }
  return blocks;
}

function foldDeltas(events: readonly JsonObject[]): JsonObject {
  const deltas = events.flatMap(({ choices }) =>
    asArray(choices).map((one) => asObject(asObject(one).delta)),
  );
  const reasoning_details = deltas.flatMap((delta) => asArray(delta.reasoning_details));
  return { role: "assistant", content: join(deltas.map(({ content }) => content)), reasoning_details };
}

/** The turns that a client keeps of an answer for its next request. */
const TURNS: Readonly<
  Record<AskedSurface, (events: readonly JsonObject[], isStreamed: boolean) => readonly JsonObject[]>
> = {
  chat: (events, isStreamed) => [
    isStreamed ? foldDeltas(events) : asObject(asObject(asArray(events[0]?.choices)[0]).message),
  ],
  messages: (events, isStreamed) => [
    { role: "assistant", content: isStreamed ? foldBlocks(events) : asArray(events[0]?.content) },
  ],
  responses: (events, isStreamed) =>
    asArray(isStreamed ? asObject(events.at(-1)?.response).output : events[0]?.output).map(asObject),
  gemini: (events) => [{ role: "model", parts: events.flatMap(readParts) }],
  interactions: (events, isStreamed) =>
    asArray((isStreamed ? foldEvents(events) : events[0])?.steps).map(asObject),
};

const ASKED_SURFACES: readonly AskedSurface[] = [...SURFACE_KEYS, "interactions"];

const FIELDS: Readonly<Record<AskedSurface, string>> = {
  chat: "messages",
  messages: "messages",
  responses: "input",
  gemini: "contents",
  interactions: "input",
};

function converse(surface: AskedSurface, row: number, turns: readonly JsonObject[]): JsonObject {
  const says = [`${LOOK} ${row}.`, NEXT].slice(0, turns.length === 0 ? 1 : 2);
  const parts = says.map((text) => ({ role: "user", parts: [{ text }] }));
  const users = says.map((content) => ({ role: "user", content }));
  const steps = says.map((text) => ({ type: "user_input", content: [{ type: "text", text }] }));
  const [first, ...rest] = surface === "gemini" ? parts : surface === "interactions" ? steps : users;
  const field = FIELDS[surface];
  return { [field]: [first, ...turns, ...rest] };
}

describe.each([false, true])("streamed: %p", (isStreamed) => {
  // Claude's own API is passed on as it is.
  test.each(SURFACE_KEYS.filter((surface) => surface !== "messages"))(
    "on %s a forced call's answer has no envelope",
    async (surface) => {
      const { status, text } = await askSurface(gateway, {
        surface,
        model: "Anthropic#claude-sonnet-4-5",
        body: STRUCTURED[surface],
        stream: isStreamed,
      });
      const events = isStreamed ? readEvents(text) : [asObject(parseJson(text))];
      expect([status, TEXTS[surface](events, isStreamed)]).toEqual([200, JSON.stringify(MAP)]);
    },
  );

  test.each(ASKED_SURFACES.flatMap((surface) => ANSWERS.map((_, row) => [surface, row] as const)))(
    "on %s the phases of messages come back, answer %d",
    async (surface, row) => {
      const asking = { surface, model: "OpenAI#gpt-5.3-codex", stream: isStreamed };
      const { status, text } = await askSurface(gateway, { ...asking, body: converse(surface, row, []) });
      const events = isStreamed ? readEvents(text) : [asObject(parseJson(text))];
      const turns = TURNS[surface](events, isStreamed);
      const next = await askSurface(gateway, { ...asking, body: converse(surface, row, turns) });
      expect([status, next.status, next.status === 200 ? "" : next.text]).toEqual([200, 200, ""]);
      const phases = (ANSWERS[row] ?? []).map(([phase]) => phase).filter((phase) => phase !== "thinking");
      expect(listPhases(next.sent)).toEqual(phases);
    },
  );
});
