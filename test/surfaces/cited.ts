// The citations of an answer on each surface, as its vendor's SDK reads them.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../src/core/json/json.ts";
import type { ChatForm } from "../../src/operations/chat/decoder.ts";
import { OPENAI_CHAT } from "../../src/surfaces/openai-chat/surface.ts";
import type { Exchange } from "../../src/surfaces/surface.ts";
import { makeExchange } from "./readings.ts";
import { incoming } from "./recorded.ts";

/** A citation as a client reads it: its source's name, and the text that rests on it, or the surface's equivalent. */
export interface CitedRead {
  readonly source: string;
  readonly span: string;
}

export const SURFACES: Readonly<Record<string, () => Exchange<ChatForm>>> = {
  chat: () => OPENAI_CHAT.read(incoming({ model: "m", messages: [{ role: "user", content: "a" }] })),
  responses: () => makeExchange("responses"),
  messages: () => makeExchange("messages"),
  gemini: () => makeExchange("gemini"),
};

function answering(text: string) {
  return async () => new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/** The citations of a whole answer or of a stream's text. */
export async function readCited(surface: string, answer: JsonObject | string): Promise<readonly CitedRead[]> {
  switch (surface) {
    case "chat":
      return readCompletion(typeof answer === "string" ? await foldCompletion(answer) : answer);
    case "responses":
      return readResponse(typeof answer === "string" ? await foldResponse(answer) : answer);
    case "messages":
      return readMessage(typeof answer === "string" ? await foldMessage(answer) : answer);
    default:
      return typeof answer === "string" ? readEvents(answer) : readCandidate([answer]);
  }
}

const OPENAI = { apiKey: "sk", maxRetries: 0 };

async function foldCompletion(text: string): Promise<JsonObject> {
  const client = new OpenAI({ ...OPENAI, fetch: answering(text) });
  const stream = await client.chat.completions.create({ model: "m", messages: [], stream: true });
  const message = { content: "", annotations: [] as unknown[], citations: [] as unknown[] };
  for await (const { choices } of stream) {
    const delta = asObject(choices[0]?.delta);
    message.content += asString(delta.content) ?? "";
    message.annotations.push(...asArray(delta.annotations));
    message.citations.push(...asArray(delta.citations));
  }
  return { choices: [{ message }] };
}

async function foldResponse(text: string): Promise<JsonObject> {
  const client = new OpenAI({ ...OPENAI, fetch: answering(text) });
  const response = await client.responses.stream({ model: "m", input: "a" }).finalResponse();
  return { output: response.output };
}

async function foldMessage(text: string): Promise<JsonObject> {
  const client = new Anthropic({ apiKey: "sk", maxRetries: 0, fetch: answering(text) });
  const { content } = await client.messages
    .stream({ model: "m", max_tokens: 1, messages: [] })
    .finalMessage();
  return { content };
}

function readCompletion({ choices }: JsonObject): readonly CitedRead[] {
  const { content, annotations, citations } = asObject(asObject(asArray(choices)[0]).message);
  const pages = asArray(annotations).map((one) => asObject(asObject(one).url_citation));
  const documents = asArray(citations).map((one) => asObject(asObject(one).document_citation));
  const read = ({ start_index, end_index }: JsonObject) =>
    (asString(content) ?? "").slice(Number(start_index), Number(end_index));
  return [
    // The AI SDK rejects the whole answer if an annotation has another type.
    ...pages.map((page) => ({ source: String(page.url), span: read(page) })),
    ...documents.map((document) => ({ source: String(document.title), span: read(document) })),
  ];
}

function readResponse({ output }: JsonObject): readonly CitedRead[] {
  const parts = asArray(output).flatMap((item) => asArray(asObject(item).content).map(asObject));
  return parts.flatMap(({ text, annotations }) =>
    asArray(annotations)
      .map(asObject)
      .map(({ type, url, filename, index, start_index, end_index }) => ({
        source: String(url ?? filename),
        span:
          type === "file_citation"
            ? `at ${index}`
            : String(text).slice(Number(start_index), Number(end_index)),
      })),
  );
}

function readMessage({ content }: JsonObject): readonly CitedRead[] {
  return asArray(content).flatMap((block) =>
    asArray(asObject(block).citations)
      .map(asObject)
      .map(({ url, document_title, cited_text }) => ({
        source: String(url ?? document_title ?? ""),
        span: String(cited_text),
      })),
  );
}

function readEvents(text: string): readonly CitedRead[] {
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return readCandidate(lines.map((line) => asObject(JSON.parse(line.slice("data: ".length)))));
}

function readCandidate(responses: readonly JsonObject[]): readonly CitedRead[] {
  const candidates = responses.flatMap(({ candidates: all }) => asArray(all).map(asObject));
  const parts = candidates.flatMap(({ content }) => asArray(asObject(content).parts).map(asObject));
  const text = parts.map((part) => (part.thought ? "" : (asString(part.text) ?? ""))).join("");
  const { groundingChunks, groundingSupports } = asObject(
    candidates.map(({ groundingMetadata }) => groundingMetadata).findLast(isObject),
  );
  const names = asArray(groundingChunks).map((chunk) => {
    const { web, retrievedContext } = asObject(chunk);
    return String(asObject(web).uri ?? asObject(retrievedContext).title);
  });
  const placed = asArray(groundingSupports).flatMap((support) => {
    const { startIndex, endIndex, text: own } = asObject(asObject(support).segment);
    const cited = Buffer.from(text).subarray(Number(startIndex), Number(endIndex)).toString();
    const span = own === undefined || own === cited ? cited : `${cited}, and not ${own}`;
    return asArray(asObject(support).groundingChunkIndices).map((at) => ({
      source: names[Number(at)] ?? "",
      span,
    }));
  });
  const used = new Set(placed.map(({ source }) => source));
  return [...placed, ...names.filter((name) => !used.has(name)).map((source) => ({ source, span: "" }))];
}
