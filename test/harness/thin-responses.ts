// A server of the Responses API that leaves out what llama.cpp's does (recorded of xllamacpp 2026.10): numbers and places in
// events, and most fields of a response.
import { asObject, type JsonObject } from "../../src/core/json/json.ts";

const WORDS = ["Hello", " there", "."];
const ARGUMENTS = '{"answer":"x"}';

function makeItem(isCall: boolean, isDone: boolean): JsonObject {
  const status = isDone ? "completed" : "in_progress";
  if (isCall) {
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "find" };
    return { ...call, status, arguments: isDone ? ARGUMENTS : "" };
  }
  const content = isDone ? [{ type: "output_text", text: WORDS.join("") }] : [];
  return { type: "message", id: "msg_1", role: "assistant", status, content };
}

function makeResponse(isCall: boolean): JsonObject {
  const usage = { input_tokens: 4, output_tokens: 3, total_tokens: 7 };
  const output = [makeItem(isCall, true)];
  return {
    id: "resp_thin",
    object: "response",
    created_at: 7,
    status: "completed",
    model: "llama",
    output,
    usage,
  };
}

function listEvents(isCall: boolean): readonly JsonObject[] {
  const begun = { id: "resp_thin", object: "response", status: "in_progress" };
  const part = { type: "output_text", text: "" };
  const text = WORDS.join("");
  const said = [
    { type: "response.content_part.added", item_id: "msg_1", part },
    ...WORDS.map((delta) => ({ type: "response.output_text.delta", item_id: "msg_1", delta })),
    { type: "response.output_text.done", item_id: "msg_1", text },
    { type: "response.content_part.done", item_id: "msg_1", part: { ...part, text } },
  ];
  const called = [
    { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: ARGUMENTS },
    { type: "response.function_call_arguments.done", item_id: "fc_1", name: "find", arguments: ARGUMENTS },
  ];
  return [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    { type: "response.output_item.added", item: makeItem(isCall, false) },
    ...(isCall ? called : said),
    { type: "response.output_item.done", item: makeItem(isCall, true) },
    { type: "response.completed", response: makeResponse(isCall) },
  ];
}

/** Says a few words, or calls `find` if asked to. */
export function startThinServer(): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = asObject(await request.json());
      const isCall = JSON.stringify(body.input).includes("call find(");
      if (body.stream !== true) return Response.json(makeResponse(isCall));
      const events = listEvents(isCall).map(
        (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
      );
      return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
    },
  });
}
