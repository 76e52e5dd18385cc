// Recorded requests of generateContent, said as interactions: Google's models get the same call, but for what this form can't
// say.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { asArray, asObject, isObject, type JsonObject, omitUndefined } from "../../../src/core/json/json.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { sampleRows } from "../../harness/long.ts";
import { atLeast, readTraffic } from "../../recorded/load.ts";
import { encodeAsk } from "../crossing/crossing.ts";
import { incoming } from "../recorded.ts";
import { readInteraction } from "./interactions-read.ts";

const MODEL = "Google#gemini-3.5-flash";

/** Matches a request that interactions can't say, each with its reason. */
const UNSAYABLE: readonly (readonly [RegExp, string])[] = [
  [
    /"thought":true,"thoughtSignature"|"thoughtSignature":"[^"]*","thought":true/,
    "A signature stands beside a thought.",
  ],
  [/"(toolCall|toolResponse|executableCode|codeExecutionResult)":/, "Tools that Google ran become text."],
  [/"candidateCount":[2-9]/, "There is one answer."],
  [/"(presencePenalty|frequencyPenalty|responseLogprobs)":/, "There are no penalties and log probabilities."],
  [/"thinkingBudget":/, "Thinking has levels."],
  [/"(cachedContent|fileSearch|modelArmorConfig)":/, "They name objects of the provider's account."],
  [/"file_?[dD]ata":/, "An address has no media type of its own in a chat message."],
  [/"response_?[mM]ime_?[tT]ype":"text\/x/, "An answer is text or JSON."],
];

const say = (text: string): JsonObject => ({ type: "text", text });
const pick = (holder: JsonObject, name: string, other: string) => asObject(holder[name] ?? holder[other]);

function signatureOf(part: JsonObject): readonly JsonObject[] {
  const signature = part.thoughtSignature ?? part.thought_signature;
  return signature === undefined ? [] : [{ type: "thought", signature }];
}

/** The steps of a part of the model's. A signature stands before its call, or behind its text. */
function toModelSteps(part: JsonObject, ids: string[]): readonly JsonObject[] {
  const { id, name, args } = pick(part, "functionCall", "function_call");
  if (name !== undefined) {
    const own = String(id ?? `call_${ids.length + 1}`);
    ids.push(own);
    return [...signatureOf(part), { type: "function_call", id: own, name, arguments: args ?? {} }];
  }
  if (part.thought === true) {
    const [signed] = signatureOf(part);
    return signed ? [{ ...signed, summary: [say(String(part.text))] }] : [];
  }
  return [{ type: "model_output", content: [say(String(part.text ?? ""))] }, ...signatureOf(part)];
}

function toContent(part: JsonObject): JsonObject {
  const { mimeType, mime_type, data } = pick(part, "inlineData", "inline_data");
  if (data === undefined) return say(String(part.text ?? ""));
  const [kind = ""] = String(mimeType ?? mime_type).split("/");
  const type = ["image", "audio", "video"].includes(kind) ? kind : "document";
  return { type, mime_type: mimeType ?? mime_type, data };
}

/** Most tools answer with one text, which the Gemini surface reads as such. */
function toResult(response: unknown, parts: readonly unknown[]): unknown {
  const [only, ...others] = Object.entries(asObject(response));
  const isText = only && others.length === 0 && ["output", "result", "content"].includes(only[0]);
  const text = isText && typeof only[1] === "string" ? only[1] : null;
  if (parts.length === 0) return text ?? response;
  return [say(text ?? JSON.stringify(response)), ...parts.map((part) => toContent(asObject(part)))];
}

function toUserSteps(parts: readonly JsonObject[], ids: string[], answered: number): readonly JsonObject[] {
  const isResult = (part: JsonObject) => isObject(part.functionResponse ?? part.function_response);
  const results = parts.filter(isResult).map((part, at) => {
    const { id, response, parts: media } = pick(part, "functionResponse", "function_response");
    const result = toResult(response, asArray(media));
    return { type: "function_result", call_id: String(id ?? ids[answered + at]), result };
  });
  const content = parts.filter((part) => !isResult(part)).map(toContent);
  return content.length === 0 ? results : [...results, { type: "user_input", content }];
}

function toSteps(contents: readonly JsonObject[]): readonly JsonObject[] {
  const ids: string[] = [];
  let answered = 0;
  return contents.flatMap(({ role, parts: given }) => {
    const parts = (isObject(given) ? [given] : asArray(given)).map(asObject);
    if (role === "model") return parts.flatMap((part) => toModelSteps(part, ids));
    const steps = toUserSteps(parts, ids, answered);
    answered += steps.filter(({ type }) => type === "function_result").length;
    return steps;
  });
}

/** Returns the same request as an interaction. Fields that both forms have come from the chat form. */
function toInteraction(contents: readonly JsonObject[], ask: ChatRequest): JsonObject {
  const [first] = ask.messages;
  const schema =
    ask.response_format?.type === "json_schema" ? ask.response_format.json_schema.schema : undefined;
  const choice = ask.tool_choice;
  const named = typeof choice === "object" && choice.type === "function" ? [choice.function.name] : undefined;
  const allowed =
    typeof choice === "object" && choice.type === "allowed_tools" ? choice.allowed_tools : undefined;
  const names = named ?? allowed?.tools.map((tool) => asObject(tool.function).name);
  const isAny = choice === "required" || named !== undefined || allowed?.mode === "required";
  const mode = isAny ? "any" : choice === "none" ? "none" : "auto";
  return omitUndefined({
    input: toSteps(contents),
    system_instruction: first?.role === "system" ? first.content : undefined,
    tools: [
      ...(ask.tools ?? []).map((tool) => ({ type: "function", ...asObject(tool.function) })),
      ...(ask.web_search_options ? [{ type: "google_search" }] : []),
    ],
    response_format: ask.response_format && { type: "text", mime_type: "application/json", schema },
    generation_config: omitUndefined({
      temperature: ask.temperature,
      top_p: ask.top_p,
      top_k: ask.top_k,
      max_output_tokens: ask.max_completion_tokens,
      seed: ask.seed,
      stop_sequences: ask.stop,
      thinking_level: ask.reasoning_effort,
      tool_choice: choice && (names ? { allowed_tools: { mode, tools: names } } : mode),
    }),
  });
}

/** Neighbouring texts of a turn are one, however many contents or steps they came in. */
function joinTexts(turn: unknown): JsonObject {
  const parts: JsonObject[] = [];
  for (const part of asArray(asObject(turn).parts).map(asObject)) {
    const last = parts.at(-1);
    const isText = (one: JsonObject | undefined) => one !== undefined && Object.keys(one).join() === "text";
    // A thought that nobody has signed is left out.
    if (part.thought === true && part.thoughtSignature === undefined) continue;
    if (isText(last) && isText(part)) parts.splice(-1, 1, { text: `${last?.text}${part.text}` });
    else parts.push(part);
  }
  return { ...asObject(turn), parts };
}

/** Null for calls and results that aren't pairs, which Google's own form takes. */
function tryRead(body: JsonObject): ChatRequest | null {
  try {
    return readInteraction(body).ask;
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "invalid_value") return null;
    throw thrown;
  }
}

test("recorded requests make the same call as interactions", () => {
  const unpaired: string[] = [];
  let compared = 0;
  for (const { id, api, request } of sampleRows(readTraffic().recordings, 4)) {
    if (!api.startsWith("gemini") || !isObject(request) || !Array.isArray(request.contents)) continue;
    if (UNSAYABLE.some(([words]) => words.test(JSON.stringify(request)))) continue;
    const { ask } = GEMINI.read(incoming(request, "/v1beta/models/any:generateContent"));
    const own = tryRead(toInteraction(request.contents.map(asObject), ask));
    if (own === null) {
      unpaired.push(id);
      continue;
    }
    const [sent, expected] = [own, ask].map((one) => {
      const exchange = { ...readInteraction({}), ask: { ...one, model: "any" } };
      const { contents, ...rest } = encodeAsk(exchange, MODEL).body;
      return { ...rest, contents: asArray(contents).map(joinTexts) };
    });
    expect({ id, body: sent }).toEqual({ id, body: expected });
    compared++;
  }
  expect(unpaired.length).toBeLessThan(3);
  expect(compared).toBeGreaterThanOrEqual(atLeast(60));
});
