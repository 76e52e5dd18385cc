// A server whose answers aren't what their own ends say: calls cut by the limit, and texts outside any item.
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";

/** The pieces of a call's arguments up to the limit. */
const CUT = ['{"path":', '"/tmp/', "a-", "long-", "name-", "that-", "is-", "cut"];
const WHOLE = [...CUT, '"}'];

function write(events: readonly JsonObject[], last = ""): Response {
  const lines = events.map((event) => {
    const name = typeof event.type === "string" ? `event: ${event.type}\n` : "";
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return new Response(lines.join("") + last, { headers: { "content-type": "text/event-stream" } });
}

function makeCall(texts: readonly string[]): JsonObject {
  return { id: "call_1", type: "function", function: { name: "rm", arguments: texts.join("") } };
}

/** Ends with `tool_calls` whether the call is whole or cut (vLLM). */
function answerChat({ model, stream }: JsonObject): Response {
  const texts = model === "cut" ? CUT : WHOLE;
  const head = { id: "c", object: stream ? "chat.completion.chunk" : "chat.completion", created: 1, model };
  const usage = { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10 };
  if (stream !== true) {
    const message = { role: "assistant", content: null, tool_calls: [makeCall(texts)] };
    return Response.json({ ...head, choices: [{ index: 0, message, finish_reason: "tool_calls" }], usage });
  }
  const say = (delta: JsonObject, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const pieces = texts.map((text) => say({ tool_calls: [{ index: 0, function: { arguments: text } }] }));
  const first = say({ role: "assistant", tool_calls: [{ index: 0, ...makeCall([]) }] });
  return write(
    [first, ...pieces, say({}, "tool_calls"), { ...head, choices: [], usage }],
    "data: [DONE]\n\n",
  );
}

const WORDS = ["Hello", " there", "."];
const BEGUN = { id: "resp_1", object: "response", status: "in_progress" };
const ENDED = {
  ...BEGUN,
  status: "completed",
  output: [],
  usage: { input_tokens: 4, output_tokens: 3, total_tokens: 7 },
};

const say = (more: JsonObject) =>
  WORDS.map((delta): JsonObject => ({ type: "response.output_text.delta", delta, ...more }));
const think = (more: JsonObject): JsonObject => ({
  type: "response.reasoning_text.delta",
  delta: "Hm.",
  ...more,
});
const made = { type: "message", id: "msg_1", role: "assistant" };
const whole = { ...made, content: [{ type: "output_text", text: WORDS.join("") }] };

/** Streams with gaps, by the name of their model. */
export const GAPS: Readonly<Record<string, readonly JsonObject[]>> = {
  bare: say({}),
  placed: say({ item_id: "msg_1", output_index: 0, content_index: 0 }),
  numbered: say({ item_id: "msg_1" }).map((event, at) => ({ ...event, sequence_number: at + 1 })),
  "thinking-first": [think({}), ...say({})],
  "with-its-part": [
    { type: "response.content_part.added", item_id: "msg_1", part: { type: "output_text", text: "" } },
    ...say({ item_id: "msg_1" }),
  ],
  "with-its-ends": [
    ...say({ item_id: "msg_1" }),
    { type: "response.output_text.done", item_id: "msg_1", text: WORDS.join("") },
    { type: "response.content_part.done", item_id: "msg_1", part: whole.content[0] },
    { type: "response.output_item.done", item: whole },
  ],
  "with-its-end": [...say({}), { type: "response.output_item.done", item: whole }],
  "before-a-call": [
    ...say({}),
    {
      type: "response.output_item.added",
      item: { type: "function_call", id: "fc_1", call_id: "c", name: "rm" },
    },
    {
      type: "response.output_item.done",
      item: { type: "function_call", id: "fc_1", call_id: "c", name: "rm", arguments: "{}" },
    },
  ],
};

function answerResponse({ model }: JsonObject): Response {
  return write([
    { type: "response.created", response: BEGUN },
    ...(GAPS[String(model)] ?? []),
    { type: "response.completed", response: ENDED },
  ]);
}

export function startThinAnswers(): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = asObject(await request.json());
      return request.url.endsWith("/responses") ? answerResponse(body) : answerChat(body);
    },
  });
}
