// Checks that an adapter reproduces a recorded native request from the equivalent chat-completion request.

import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Target } from "../../../src/core/models/dialect.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { findChatCodec } from "../../harness/codec.ts";
import type { ChatApi, Recording } from "../load.ts";
import type { Subject } from "../pipeline.ts";
import { bodyDifferences, NotPlain, notPlain } from "../plain.ts";
import { carryAsRecorded, encodeModel } from "../platforms.ts";
import { canonicalAnthropic, chatFromAnthropic } from "./requests-anthropic.ts";
import { canonicalConverse, chatFromConverse, readModelId } from "./requests-bedrock.ts";
import { canonicalCohere, chatFromCohere } from "./requests-cohere.ts";
import { canonicalGemini, chatFromGemini } from "./requests-gemini.ts";
import {
  canonicalCompatible,
  canonicalMistral,
  canonicalOpenAi,
  chatFromCompatible,
  chatFromMistral,
  chatFromOpenAi,
  findTranslated,
} from "./requests-openai.ts";
import { canonicalResponses, chatFromResponses } from "./requests-responses.ts";

interface RequestForm {
  readonly chat: (native: JsonObject, recording: Recording) => ChatRequest;
  readonly canonical: (body: JsonObject, file: string) => JsonObject;
  /** The end of a call's URL. */
  readonly path: (recording: Recording) => string;
}

const GEMINI: RequestForm = {
  chat: (native, { model, api, url }) => {
    const request = chatFromGemini(native, model);
    // On Vertex, 2.5 accepted more (retired there on 2026-10-20) than on the Developer API, which the gateway calls.
    const vertexOnly = request.logprobs ?? request.presence_penalty ?? request.frequency_penalty;
    if (url.includes("aiplatform") && model.includes("2.5") && vertexOnly)
      notPlain("logprobs or penalties of 2.5 on Vertex");
    return api === "gemini-streamGenerateContent" ? { ...request, stream: true } : request;
  },
  canonical: canonicalGemini,
  path: ({ model, api }) =>
    api === "gemini-streamGenerateContent"
      ? `/models/${model}:streamGenerateContent?alt=sse`
      : `/models/${model}:generateContent`,
};
const ANTHROPIC: RequestForm = {
  chat: chatFromAnthropic,
  canonical: canonicalAnthropic,
  path: () => "/messages",
};

const CONVERSE: RequestForm = {
  chat: chatFromConverse,
  canonical: canonicalConverse,
  path: ({ url }) => encodeModel(url.replace(/^https:\/\/[^/]+/, "")),
};
const INVOKE: RequestForm = {
  ...ANTHROPIC,
  chat: (native, recording) =>
    chatFromAnthropic({
      ...native,
      model: readModelId(recording),
      stream: recording.api === "bedrock-invoke-stream",
    }),
};

const FORMS: Partial<Record<ChatApi, RequestForm>> = {
  "anthropic-messages": ANTHROPIC,
  "gemini-generateContent": GEMINI,
  "gemini-streamGenerateContent": GEMINI,
  "vertex-rawPredict": {
    ...ANTHROPIC,
    // The model is only in the address.
    chat: (native, { model }) => chatFromAnthropic({ ...native, model }),
  },
  "bedrock-converse": CONVERSE,
  "bedrock-converse-stream": CONVERSE,
  "bedrock-invoke": INVOKE,
  "bedrock-invoke-stream": INVOKE,
  "cohere-v2": { chat: chatFromCohere, canonical: canonicalCohere, path: () => "/chat" },
  "openai-responses": { chat: chatFromResponses, canonical: canonicalResponses, path: () => "/responses" },
};

const OPENAI: RequestForm = {
  chat: chatFromOpenAi,
  canonical: canonicalOpenAi,
  path: () => "/chat/completions",
};

/** The form of an accepted recorded request. Null if there is none to reproduce. */
export function requestForm(recording: Recording): RequestForm | null {
  if (recording.status >= 400 || recording.request === null) return null;
  // The second answer in one body belonged to another request.
  if (/#[^1]$/.test(recording.id)) return null;
  if (recording.api !== "openai-chat") return FORMS[recording.api] ?? null;
  if (recording.file === "mistral") return { ...OPENAI, chat: chatFromMistral, canonical: canonicalMistral };
  if (recording.file === "openai") return OPENAI;
  return { ...OPENAI, chat: chatFromCompatible, canonical: canonicalCompatible };
}

/** Returns why the request has no plain OpenAI form, or where the adapter's body differs from the recorded one. */
export function requestDifferences(
  subject: Subject,
): { notPlain: string } | { differences: string[] } | null {
  const { recording, dialect, card } = subject;
  const form = requestForm(recording);
  if (!form || recording.request === null) return null;
  try {
    const request = form.chat(recording.request, recording);
    if ((request.n ?? 1) > findChatCodec(dialect).answersPerCall(card, request))
      return { notPlain: "n: several calls of one choice each" };
    const recorded = form.canonical(recording.request, recording.file);
    const target = { baseUrl: "https://upstream.example/v1", secret: null, headers: {} };
    const called = { ...card, name: request.model };
    const encode = (at: Target) => findChatCodec(dialect).encode(request, called, at);
    const carried = carryAsRecorded(recording, dialect, called, encode);
    const outgoing = carried?.outgoing ?? encode(target);
    const differences = bodyDifferences(recorded, form.canonical(outgoing.body, recording.file));
    const path = form.path(recording);
    if (carried) differences.push(...carried.differences);
    else if (!outgoing.url.endsWith(path)) differences.push(`url ${outgoing.url}, not …${path}`);
    const dropped = outgoing.dropped.filter((field) => !findTranslated(recording.file).includes(field));
    if (dropped.length > 0) differences.push(`dropped ${dropped.join(", ")}`);
    return { differences };
  } catch (thrown) {
    if (thrown instanceof NotPlain) return { notPlain: thrown.message };
    return { differences: [`threw ${String(thrown)}`] };
  }
}
