// Answers of each surface as their vendors' own SDKs read them, streamed and whole.
import { expect } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { asArray, asObject, isObject, type JsonObject } from "../../src/core/json/json.ts";
import type { FinishReason } from "../../src/operations/chat/form.ts";
import { ANTHROPIC_MESSAGES } from "../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../src/surfaces/gemini/surface.ts";
import { OPENAI_RESPONSES } from "../../src/surfaces/openai-responses/surface.ts";
import { messagesGrammar, responsesGrammar } from "./grammar.ts";
import { foldEvents, listEvents, readInteraction } from "./interactions/interactions-read.ts";
import { orderInMessage, orderInParts, orderInResponse, orderInSteps } from "./order.ts";
import { incoming, parseArguments, type Said } from "./recorded.ts";

/** The answer as a client reads it: the content, the finish in the surface's own word, and the tokens. */
export interface Read {
  readonly said: Said;
  readonly finish: unknown;
  readonly prompt: number;
  readonly completion: number;
}

/** A client's reading of a surface: the answer streamed, and whole. */
interface Reading {
  readonly streamed: (text: string) => Promise<Read>;
  readonly whole: (body: object) => Read;
  /** The surface's words for each of our finish reasons. */
  readonly finishes: Readonly<Record<FinishReason, readonly string[]>>;
}

function answering(text: string) {
  return async () => new Response(text, { headers: { "content-type": "text/event-stream" } });
}

function readMessage(message: Anthropic.Message): Read {
  const { usage, stop_reason } = message;
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  const prompt = usage.input_tokens + cached;
  return { said: saidInMessage(message), finish: stop_reason, prompt, completion: usage.output_tokens };
}

function saidInMessage({ content }: Anthropic.Message): Said {
  return {
    refusal: "",
    order: orderInMessage({ content }),
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    calls: content.flatMap((block): Said["calls"] =>
      block.type === "tool_use" ? [[block.name, block.input]] : [],
    ),
  };
}

function readResponse(response: unknown): Read {
  const { output, status, usage, incomplete_details } = asObject(response);
  const { input_tokens, output_tokens } = asObject(usage);
  return {
    said: saidInResponse(asArray(output)),
    finish: status === "incomplete" ? asObject(incomplete_details).reason : status,
    prompt: Number(input_tokens),
    completion: Number(output_tokens),
  };
}

function saidInResponse(output: readonly unknown[]): Said {
  const items = output.filter(isObject);
  const parts = items.flatMap(({ type, content }) =>
    type === "message" ? asArray(content).map(asObject) : [],
  );
  return {
    refusal: "",
    order: orderInResponse(output),
    text: parts.map(({ text, refusal }) => String(text ?? refusal ?? "")).join(""),
    calls: items.flatMap((item): Said["calls"] => {
      if (item.type === "custom_tool_call") return [[String(item.name), { input: item.input }]];
      return item.type === "function_call"
        ? [[String(item.name), parseArguments(String(item.arguments))]]
        : [];
    }),
  };
}

function readCandidates(all: readonly unknown[]): Read {
  const finishes = all.flatMap((one) => asArray(asObject(one).candidates).map(asObject));
  const usage = all.map((one) => asObject(one).usageMetadata).findLast(isObject) ?? {};
  const { promptTokenCount, candidatesTokenCount = 0, thoughtsTokenCount = 0 } = usage;
  return {
    said: saidInCandidates(all),
    finish: finishes.map(({ finishReason }) => finishReason).findLast((reason) => reason !== undefined),
    prompt: Number(promptTokenCount),
    completion: Number(candidatesTokenCount) + Number(thoughtsTokenCount),
  };
}

function readSteps({ steps: given, status, usage }: JsonObject): Read {
  const steps = asArray(given).map(asObject);
  const contents = steps.flatMap(({ type, content }) => (type === "model_output" ? asArray(content) : []));
  const { total_input_tokens, total_output_tokens, total_thought_tokens } = asObject(usage);
  return {
    said: {
      refusal: "",
      order: orderInSteps(steps),
      text: contents.map((content) => String(asObject(content).text)).join(""),
      calls: steps.flatMap(({ type, name, arguments: given }): Said["calls"] =>
        type === "function_call" ? [[String(name), given]] : [],
      ),
    },
    finish: status,
    prompt: Number(total_input_tokens),
    completion: Number(total_output_tokens) + Number(total_thought_tokens),
  };
}

/** Google's SDK doesn't accept a `fetch`, so it reads from a server. */
async function readGoogle(text: string): Promise<Read> {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
  });
  try {
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl } });
    const asked = { model: "m", contents: "a" };
    return readCandidates(await Array.fromAsync(await client.models.generateContentStream(asked)));
  } finally {
    await server.stop(true);
  }
}

function saidInCandidates(all: readonly unknown[]): Said {
  const parts = all
    .flatMap((response) => asArray(asObject(response).candidates).map(asObject))
    .filter(({ index }) => index === 0)
    .flatMap(({ content }) => asArray(asObject(content).parts).map(asObject));
  return {
    refusal: "",
    order: orderInParts(parts),
    text: parts.map(({ text, thought }) => (thought ? "" : String(text ?? ""))).join(""),
    calls: parts.flatMap(({ functionCall }): Said["calls"] =>
      isObject(functionCall) ? [[String(functionCall.name), functionCall.args]] : [],
    ),
  };
}

export const READINGS: Readonly<Record<string, Reading>> = {
  messages: {
    streamed: async (text) => {
      expect(messagesGrammar(text)).toEqual([]);
      const client = new Anthropic({ apiKey: "sk", maxRetries: 0, fetch: answering(text) });
      return readMessage(
        await client.messages.stream({ model: "m", max_tokens: 1, messages: [] }).finalMessage(),
      );
    },
    whole: (body) => readMessage(JSON.parse(JSON.stringify(body))),
    finishes: {
      stop: ["end_turn", "stop_sequence", "pause_turn"],
      length: ["max_tokens", "model_context_window_exceeded"],
      tool_calls: ["tool_use"],
      content_filter: ["refusal"],
    },
  },
  responses: {
    streamed: async (text) => {
      expect(responsesGrammar(text)).toEqual([]);
      const client = new OpenAI({ apiKey: "sk", maxRetries: 0, fetch: answering(text) });
      return readResponse(await client.responses.stream({ model: "m", input: "a" }).finalResponse());
    },
    whole: readResponse,
    finishes: {
      stop: ["completed"],
      length: ["max_output_tokens"],
      tool_calls: ["completed"],
      content_filter: ["content_filter"],
    },
  },
  gemini: {
    streamed: readGoogle,
    whole: (body) => readCandidates([body]),
    finishes: {
      stop: ["STOP"],
      length: ["MAX_TOKENS"],
      tool_calls: ["STOP"],
      content_filter: ["SAFETY", "PROHIBITED_CONTENT", "RECITATION", "MODEL_ARMOR"],
    },
  },
  // Google's SDKs pass the events on one by one, so clients put them together.
  interactions: {
    streamed: async (text) => {
      expect(text.endsWith("event: done\ndata: [DONE]\n\n")).toBe(true);
      return readSteps(foldEvents(listEvents(text)));
    },
    whole: (body) => readSteps(asObject(body)),
    finishes: {
      stop: ["completed"],
      length: ["incomplete"],
      tool_calls: ["requires_action"],
      content_filter: ["incomplete"],
    },
  },
};

export function makeExchange(surface: string) {
  switch (surface) {
    case "messages":
      return ANTHROPIC_MESSAGES.read(
        incoming({ model: "m", max_tokens: 100, messages: [{ role: "user", content: "a" }] }),
      );
    case "responses":
      return OPENAI_RESPONSES.read(incoming({ model: "m", input: "a" }));
    case "interactions":
      return readInteraction({ generation_config: { thinking_summaries: "auto" } });
    default:
      return GEMINI.read(
        incoming(
          { contents: [{ parts: [{ text: "a" }] }] },
          "/v1beta/models/m:streamGenerateContent?alt=sse",
        ),
      );
  }
}
