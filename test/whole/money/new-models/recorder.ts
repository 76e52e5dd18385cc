// A provider of every form that keeps what it was asked, and reports the usage that a test sets.
import { asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import type { Fetch } from "../../../../src/core/world/world.ts";

export interface ReportedUsage {
  readonly prompt: number;
  readonly cached: number;
  /** Written to the cache for the usual time, and for the longest. */
  readonly written: number;
  readonly writtenLong: number;
  readonly output: number;
}

export interface Recorder {
  readonly fetch: Fetch;
  usage: ReportedUsage;
  /** The word for the service that answers. Empty for the usual one. */
  service: string;
  /** The last request. */
  sent: { readonly url: string; readonly body: JsonObject };
}

const MADE = { id: "made", created: 1, model: "m" };

function answerChat({ prompt, cached, written, writtenLong, output }: ReportedUsage, service: string) {
  const times = { ttl_12h_tokens: writtenLong };
  const details = {
    cached_tokens: cached,
    cache_write_tokens: written + writtenLong,
    ...(writtenLong > 0 ? { cache_write_tokens_details: times } : {}),
  };
  const usage = { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output };
  const message = { role: "assistant", content: "hi" };
  return {
    ...MADE,
    object: "chat.completion",
    choices: [{ index: 0, finish_reason: "stop", message }],
    usage: { ...usage, prompt_tokens_details: details },
    ...(service === "" ? {} : { service_tier: service }),
  };
}

function answerResponses({ prompt, cached, written, writtenLong, output }: ReportedUsage, service: string) {
  const details = {
    cached_tokens: cached,
    cache_write_tokens: written + writtenLong,
    cache_write_tokens_details: { ttl_12h_tokens: writtenLong },
  };
  const content = [{ type: "output_text", text: "hi", annotations: [] }];
  const counts = { input_tokens: prompt, output_tokens: output, total_tokens: prompt + output };
  return {
    ...MADE,
    object: "response",
    created_at: 1,
    status: "completed",
    output: [{ id: "m", type: "message", role: "assistant", status: "completed", content }],
    usage: { ...counts, input_tokens_details: details },
    ...(service === "" ? {} : { service_tier: service }),
  };
}

function answerMessages({ prompt, cached, written, writtenLong, output }: ReportedUsage) {
  const usage = {
    input_tokens: prompt - cached - written - writtenLong,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written + writtenLong,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: writtenLong },
    output_tokens: output,
  };
  const content = [{ type: "text", text: "hi" }];
  const ended = { stop_reason: "end_turn", stop_sequence: null };
  return { ...MADE, type: "message", role: "assistant", content, ...ended, usage };
}

function answerGemini({ prompt, cached, output }: ReportedUsage, service: string) {
  const usageMetadata = {
    promptTokenCount: prompt,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output,
    totalTokenCount: prompt + output,
    ...(service === "" ? {} : { trafficType: service }),
  };
  const content = { role: "model", parts: [{ text: "hi" }] };
  return { candidates: [{ index: 0, content, finishReason: "STOP" }], usageMetadata };
}

function answer(url: string, { usage, service }: Recorder): object {
  if (/\/responses(\?|$)/.test(url)) return answerResponses(usage, service);
  if (/\/chat\/completions(\?|$)/.test(url)) return answerChat(usage, service);
  return /:generateContent/.test(url) ? answerGemini(usage, service) : answerMessages(usage);
}

export function makeRecorder(): Recorder {
  const none = { prompt: 1, cached: 0, written: 0, writtenLong: 0, output: 1 };
  const recorder: Recorder = {
    usage: none,
    service: "",
    sent: { url: "", body: {} },
    fetch: async (url, { body }) => {
      const text = await new Response(body).text();
      if (/oauth2|\/token$/.test(url))
        return Response.json({ access_token: "t", expires_in: 3600, token_type: "Bearer" });
      recorder.sent = { url, body: asObject(JSON.parse(text)) };
      return Response.json(answer(url, recorder));
    },
  };
  return recorder;
}
