// The same question on every chat surface, and the text of its answer.
import { asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";

/** A surface with a model that it is translated for, or that speaks its form. */
export interface Way {
  readonly surface: "chat" | "messages" | "responses" | "gemini" | "interactions";
  readonly provider: string;
  readonly stream: boolean;
  /** The family of the provider's own events, if they are shown. */
  readonly native: string | null;
}

const PAIRS = [
  ["chat", "Local", null],
  ["chat", "Anthropic", null],
  ["messages", "Anthropic", "anthropic"],
  ["messages", "Local", null],
  ["responses", "Responses", "responses"],
  ["responses", "Anthropic", null],
  ["gemini", "Google", "gemini"],
  ["gemini", "Local", null],
] as const;

export const WAYS: readonly Way[] = PAIRS.flatMap(([surface, provider, native]) =>
  [false, true].map((stream) => ({ surface, provider, native, stream })),
);

export const nameWay = ({ surface, provider, stream }: Way) =>
  `${surface} on ${provider}, ${stream ? "streamed" : "whole"}`;

export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export function makeRequest({ surface, provider, stream }: Way, prompt: string, model = "sim") {
  const id = `${provider}#${model}`;
  const messages = [{ role: "user", content: prompt }];
  const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const made: Record<Way["surface"], readonly [string, JsonObject]> = {
    chat: ["/v1/chat/completions", { model: id, messages, stream }],
    messages: ["/v1/messages", { model: id, messages, stream, max_tokens: 1000 }],
    responses: ["/v1/responses", { model: id, input: prompt, stream }],
    interactions: ["/v1/interactions", { model: id, input: prompt, stream, store: false }],
    gemini: [
      `/v1beta/models/${encodeURIComponent(id)}:${verb}`,
      { contents: [{ role: "user", parts: [{ text: prompt }] }] },
    ],
  };
  return made[surface];
}

/** Returns the words of an answer, wherever its events hold them. */
export function readWords({ text }: Pick<Got, "text">): string {
  const documents = text.startsWith("{")
    ? [parseJson(text)]
    : [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => parseJson(data));
  return documents.map((one) => collectWords(asObject(one))).join("");
}

/** The texts of the fields in which each surface puts what a model says, but for what repeats them at a stream's end. */
function collectWords(document: JsonObject): string {
  if (/\.(done|completed|added|created|in_progress)$/.test(String(document.type))) return "";
  let words = "";
  JSON.stringify(document, (name, value) => {
    const isText = ["content", "text", "delta"].includes(name) && typeof value === "string";
    if (isText) words += value;
    return value;
  });
  return words;
}
