// A provider that repeats its prompt and cites passages of it, in the form of each API, whole or in small pieces.
import { asObject, type JsonObject } from "../../../../src/core/json/json.ts";

export const PAGE = { url: "https://example.com/one", title: "The first page" };
/** The most characters of a piece. Each passage ends with one. */
const STEP = 5;

export interface CitingProvider {
  readonly url: string;
  stop(): Promise<void>;
}

interface Told {
  readonly text: string;
  /** The passages between « and ». */
  readonly spans: readonly (readonly [number, number])[];
  readonly pieces: readonly string[];
}

function read(text: string): Told {
  const spans = [...text.matchAll(/«([^«»]*)»/g)].map(
    ({ index, 1: passage = "" }) => [index + 1, index + 1 + passage.length] as const,
  );
  const pieces = text.match(new RegExp(`[«»]|[^«»]{1,${STEP}}`, "g")) ?? [];
  return { text, spans, pieces };
}

export function startCitingProvider(): CitingProvider {
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = asObject(await request.json());
      const told = read(findPrompt(body));
      if (pathname.endsWith("/chat/completions"))
        return body.stream === true ? sse(streamChat(told)) : Response.json(answerChat(told));
      if (pathname.endsWith("/responses"))
        return body.stream === true ? sse(streamResponse(told)) : Response.json(answerResponse(told));
      return pathname.includes(":stream") ? sse(streamGemini(told)) : Response.json(answerGemini(told));
    },
  });
  return { url: server.url.origin, stop: () => server.stop(true) };
}

/** The longest text of the body is the prompt. */
function findPrompt(body: JsonObject): string {
  let prompt = "";
  JSON.stringify(body, (_, value) => {
    if (typeof value === "string" && value.length > prompt.length) prompt = value;
    return value;
  });
  return prompt;
}

function sse(events: readonly JsonObject[]): Response {
  const lines = events.map(
    (event) => `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`,
  );
  const last = events.some(({ object }) => object === "chat.completion.chunk") ? "data: [DONE]\n\n" : "";
  return new Response(lines.join("") + last, { headers: { "content-type": "text/event-stream" } });
}

const listPages = ({ spans }: Told) =>
  spans.map(([start, end]) => ({ start_index: start, end_index: end, ...PAGE }));

const spell = (pieces: readonly string[]) =>
  pieces.map((token) => ({ token, logprob: -1, bytes: [...Buffer.from(token)], top_logprobs: [] }));
const spellGemini = (pieces: readonly string[]) => ({
  chosenCandidates: pieces.map((token) => ({ token, logProbability: -1 })),
});

const CHAT = { id: "chatcmpl-1", created: 1, model: "sim" };
const CHAT_USAGE = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };

function answerChat(told: Told): JsonObject {
  const annotations = listPages(told).map((page) => ({ type: "url_citation", url_citation: page }));
  const message = { role: "assistant", content: told.text, refusal: null, annotations };
  const logprobs = { content: spell(told.pieces), refusal: null };
  const choices = [{ index: 0, message, finish_reason: "stop", logprobs }];
  return { ...CHAT, object: "chat.completion", choices, usage: CHAT_USAGE };
}

/** The citations come with the last piece of text, and the end by itself. */
function streamChat(told: Told): readonly JsonObject[] {
  const chunk = (delta: JsonObject, finish_reason: string | null = null, logprobs: unknown = null) => ({
    ...CHAT,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason, logprobs }],
  });
  const annotations = listPages(told).map((page) => ({ type: "url_citation", url_citation: page }));
  return [
    chunk({ role: "assistant", content: "" }),
    ...told.pieces.map((content, at) => {
      const cited = at === told.pieces.length - 1 ? { content, annotations } : { content };
      return chunk(cited, null, { content: spell([content]), refusal: null });
    }),
    { ...chunk({}, "stop"), usage: CHAT_USAGE },
  ];
}

function makeResponse(told: Told) {
  const annotations = listPages(told).map((page) => ({ type: "url_citation", ...page }));
  const part = { type: "output_text", text: told.text, annotations, logprobs: spell(told.pieces) };
  const item = { id: "msg_1", type: "message", status: "completed", role: "assistant", content: [part] };
  const usage = { input_tokens: 9, output_tokens: 9, total_tokens: 18 };
  const response = { id: "resp_1", object: "response", created_at: 1, model: "sim", status: "completed" };
  return { part, item, response: { ...response, output: [item], usage } };
}

function answerResponse(told: Told): JsonObject {
  return makeResponse(told).response;
}

/** Each citation comes as soon as its passage is over. */
function streamResponse(told: Told): readonly JsonObject[] {
  const { part, item, response } = makeResponse(told);
  const place = { output_index: 0, content_index: 0, item_id: item.id };
  let at = 0;
  let cited = 0;
  const said = told.pieces.flatMap((delta): readonly JsonObject[] => {
    at += delta.length;
    const ready = part.annotations.filter((one, index) => index >= cited && one.end_index <= at);
    const added = ready.map((annotation) => ({
      type: "response.output_text.annotation.added",
      ...place,
      annotation_index: cited++,
      annotation,
    }));
    return [{ type: "response.output_text.delta", ...place, delta, logprobs: spell([delta]) }, ...added];
  });
  const empty = { ...part, text: "", annotations: [], logprobs: [] };
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const events: readonly JsonObject[] = [
    { type: "response.created", response: begun },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...place, part: empty },
    ...said,
    { type: "response.output_text.done", ...place, text: told.text, logprobs: part.logprobs },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

const GEMINI_USAGE = { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 };

function ground({ text, spans }: Told): JsonObject {
  const groundingSupports = spans.map(([start, end]) => ({
    segment: {
      startIndex: Buffer.byteLength(text.slice(0, start)),
      endIndex: Buffer.byteLength(text.slice(0, end)),
      text: text.slice(start, end),
    },
    groundingChunkIndices: [0],
  }));
  return {
    finishReason: "STOP",
    groundingMetadata: {
      groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }],
      groundingSupports,
    },
  };
}

function answerGemini(told: Told): JsonObject {
  const content = { role: "model", parts: [{ text: told.text }] };
  return {
    candidates: [{ index: 0, content, logprobsResult: spellGemini(told.pieces), ...ground(told) }],
    usageMetadata: GEMINI_USAGE,
    modelVersion: "sim",
  };
}

/** The last piece of text and the citations come in one event. */
function streamGemini(told: Told): readonly JsonObject[] {
  return told.pieces.map((text, at) => {
    const content = { role: "model", parts: [{ text }] };
    const last = at === told.pieces.length - 1 ? ground(told) : {};
    return {
      candidates: [{ index: 0, content, logprobsResult: spellGemini([text]), ...last }],
      usageMetadata: GEMINI_USAGE,
      modelVersion: "sim",
    };
  });
}
