// The path of one recorded answer through the gateway, from bytes to the client's chunks and the folded reply.

import { parseJson } from "../../src/core/json/json.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import { CAPABILITIES } from "../../src/core/models/card.ts";
import type { DialectName } from "../../src/core/models/dialect-names.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { Fold } from "../../src/operations/chat/answer/fold.ts";
import { Normaliser, normaliseReply } from "../../src/operations/chat/answer/normalise.ts";
import type { ChatChunk, ChatReply, ChatRequest } from "../../src/operations/chat/form.ts";
import { findDialect, PROVIDERS } from "../../src/providers/index.ts";
import { EventStreamText } from "../../src/transport/framing/aws-eventstream.ts";
import { EventParser } from "../../src/transport/framing/sse.ts";
import { makeModelCard } from "../harness/cards.ts";
import { findChatCodec } from "../harness/codec.ts";
import { decoded } from "../harness/decoded.ts";
import { requestForDecoding } from "./decoding-request.ts";
import type { Recording } from "./load.ts";
import { CLOUD_OF_FILE } from "./platforms.ts";

/** A recording with the adapter that must read it. */
export interface Subject {
  readonly recording: Recording;
  readonly dialect: Dialect;
  readonly card: ModelCard;
  readonly request: ChatRequest;
}

export interface Answer {
  readonly chunks: readonly ChatChunk[];
  readonly reply: ChatReply;
}

/** Fixture files of providers with a row in the table. All others speak plain OpenAI. */
const PROVIDER_OF_FILE: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  mistral: "Mistral",
  deepseek: "DeepSeek",
  xai: "xAI",
  groq: "Groq",
  together: "Together",
  cerebras: "Cerebras",
  openrouter: "OpenRouter",
  moonshot: "Moonshot",
  dashscope: "Qwen",
  zai: "ZAI",
};

export function makeSubject(recording: Recording): Subject {
  const provider = PROVIDER_OF_FILE[recording.file] ?? recording.file;
  const card = makeModelCard(`${provider}#${recording.model}`, { capabilities: new Set(CAPABILITIES) });
  return { recording, dialect: dialectOf(recording), card, request: requestForDecoding(recording) };
}

function dialectOf({ api, file }: Recording): Dialect {
  const cloud = PROVIDERS.find((row) => row.name === CLOUD_OF_FILE[file]);
  const own = cloud?.dialects.find(({ name }) => name === findDialectName(api));
  return own ?? findPlainDialect(api, file);
}

function findPlainDialect(api: Recording["api"], file: string): Dialect {
  switch (api) {
    case "openai-chat":
      return (
        PROVIDERS.find((row) => row.name === PROVIDER_OF_FILE[file])?.dialects[0] ?? findDialect("openai")
      );
    default:
      return findDialect(findDialectName(api));
  }
}

function findDialectName(api: Recording["api"]): DialectName {
  switch (api) {
    case "openai-chat":
      return "openai";
    case "openai-responses":
      return "responses";
    case "anthropic-messages":
    case "vertex-rawPredict":
    case "bedrock-invoke":
    case "bedrock-invoke-stream":
      return "anthropic";
    case "gemini-generateContent":
    case "gemini-streamGenerateContent":
      return "gemini";
    case "cohere-v2":
      return "cohere";
    case "perplexity-agent":
      return "perplexity";
    case "bedrock-converse":
    case "bedrock-converse-stream":
      return "bedrock";
  }
}

const encoder = new TextEncoder();

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The recorded answer, whole or streamed in one piece. Throws the adapter's Fault. */
export function decodeAnswer(subject: Subject): Answer {
  const { recording, dialect, card, request } = subject;
  if (recording.streamed) return streamedAnswer(subject, [recording.frames ?? encodeText(recording.body)]);
  const reply = normaliseReply(
    findChatCodec(dialect).reply(parseJson(recording.body), card, request, new Headers()),
    request,
  );
  return { chunks: [], reply };
}

/** The answer that arrives in these pieces. Throws the adapter's Fault. */
export function streamedAnswer(subject: Subject, pieces: Iterable<Uint8Array>): Answer {
  const parser = new EventParser();
  const decoder = findChatCodec(subject.dialect).decoder(subject.card, subject.request);
  const normaliser = new Normaliser(subject.request);
  const fold = new Fold();
  const chunks: ChatChunk[] = [];
  const emit = (ready: readonly ChatChunk[]) => {
    for (const chunk of ready) {
      chunks.push(chunk);
      fold.push(chunk);
    }
  };
  for (const piece of readText(subject.recording, pieces)) {
    for (const event of parser.push(piece)) emit(normaliser.push(decoder.push(event)));
  }
  for (const event of parser.end()) emit(normaliser.push(decoder.push(event)));
  emit(normaliser.push(decoder.end()));
  emit(normaliser.end());
  return { chunks, reply: fold.reply() };
}

/** The text of a body in these pieces, taken out of frames if it has them. Throws the fault of a broken frame. */
export function* readText(recording: Recording, pieces: Iterable<Uint8Array>): Iterable<string> {
  if (!recording.frames) return yield* decoded(pieces);
  const frames = new EventStreamText();
  for (const piece of pieces) {
    yield frames.push(piece);
    if (frames.failure) throw frames.failure;
  }
}
