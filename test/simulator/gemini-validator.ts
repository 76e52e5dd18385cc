// Validates requests to Gemini's generateContent: fields, turns of calls and responses, signatures, schemas and combinations.
import { asArray, asObject, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { findFacts, isKnownModel, LEVELS } from "../../src/dialects/gemini/models.ts";
import { signCall } from "../../src/simulator/gemini.ts";
import { reject } from "../../src/simulator/problem.ts";
import { makeModelCard } from "../harness/cards.ts";
import { checkTargetRows } from "./rules/target-rules.ts";
import { checkGeminiSchema } from "./schema-validator.ts";
import type { Check, Fields } from "./validator.ts";
import * as is from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) =>
  is.shape(fields, { required, nullable: true });
const MEDIA =
  /^(image\/(png|jpeg|webp|heic|heif|gif)|audio\/(wav|mp3|mpeg|aiff|aac|ogg|flac|x-wav)|video\/\w+|application\/(pdf|json)|is.text\/[\w-]+)$/;
/** Google documents no bound on ids: the shortest of other providers'. */
const CALL_ID = is.matching(/^.{1,64}$/s);
const NAME = is.matching(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/);
/** Gemini accepts both alphabets of base64 (recorded). */
const bytes = is.matching(/^[A-Za-z0-9+/_-]+={0,2}$/);
const mimeType: Check = (value, path) => {
  is.text(value, path);
  if (!MEDIA.test(String(value))) reject("value", `Unsupported MIME type: ${String(value)}`, path);
};

const KINDS = ["text", "inlineData", "fileData", "functionCall", "functionResponse"] as const;
const partFields = of({
  text: is.text,
  thought: is.flag,
  thoughtSignature: is.text,
  inlineData: of({ mimeType, data: bytes }, ["mimeType", "data"]),
  fileData: of({ mimeType, fileUri: is.text }, ["fileUri"]),
  functionCall: of({ id: CALL_ID, name: NAME, args: is.record }, ["name"]),
  functionResponse: of(
    { id: CALL_ID, name: NAME, response: is.record, parts: is.anything, willContinue: is.flag },
    ["name", "response"],
  ),
  mediaResolution: is.record,
});
const part: Check = (value, path) => {
  partFields(value, path);
  const given = asObject(value);
  const kinds = KINDS.filter((kind) => given[kind] !== undefined);
  if (kinds.length === 0)
    reject("value", "required oneof field 'data' must have one initialized field", [...path, "data"]);
  if (kinds.length > 1) reject("value", "oneof field 'data' is already set.", path);
};
const parts = is.list(part, 1);
/** Only the model's own text may be empty (recorded). */
const userParts = is.list((value, path) => {
  part(value, path);
  if (asObject(value).text === "")
    reject("value", "required oneof field 'data' must have one initialized field", [...path, "data"]);
}, 1);
const content = is.variant("role", {
  user: of({ role: is.anything, parts: userParts }, ["parts"]),
  model: of({ role: is.anything, parts }, ["parts"]),
});

const declaration = of(
  {
    name: NAME,
    description: is.text,
    parameters: checkGeminiSchema,
    parametersJsonSchema: is.record,
    response: checkGeminiSchema,
    responseJsonSchema: is.record,
    behavior: is.text,
  },
  ["name"],
);
const thinkingConfig = of({
  includeThoughts: is.flag,
  thinkingBudget: is.integer(-1),
  thinkingLevel: is.checkChoice(...LEVELS, ...LEVELS.map((level) => level.toLowerCase())),
});
const generationConfig = of({
  maxOutputTokens: is.integer(1),
  temperature: is.number(0, 2),
  topP: is.number(0, 1),
  topK: is.number(1),
  candidateCount: is.integer(1, 8),
  stopSequences: is.list(is.text, 0, 5),
  seed: is.integer(-(2 ** 31), 2 ** 31 - 1),
  presencePenalty: is.number(-2, 2),
  frequencyPenalty: is.number(-2, 2),
  responseMimeType: is.checkChoice("text/plain", "application/json", "text/x.enum"),
  responseSchema: checkGeminiSchema,
  responseJsonSchema: is.record,
  responseLogprobs: is.flag,
  logprobs: is.integer(0, 20),
  responseModalities: is.list(is.checkChoice("TEXT", "IMAGE", "AUDIO")),
  thinkingConfig,
  mediaResolution: is.text,
});
const request = of(
  {
    model: is.text,
    contents: is.list(content, 1),
    systemInstruction: of({ role: is.text, parts }, ["parts"]),
    tools: is.list(
      of({
        functionDeclarations: is.list(declaration),
        googleSearch: of({ timeRangeFilter: is.record, searchTypes: is.record }),
        urlContext: is.record,
        codeExecution: is.record,
      }),
    ),
    toolConfig: of({
      functionCallingConfig: of({
        mode: is.checkChoice("AUTO", "ANY", "NONE", "VALIDATED"),
        allowedFunctionNames: is.list(is.text),
      }),
      includeServerSideToolInvocations: is.flag,
    }),
    generationConfig,
    safetySettings: is.list(of({ category: is.text, threshold: is.text }, ["category", "threshold"])),
    cachedContent: is.text,
    serviceTier: is.text,
    continuationToken: is.text,
  },
  ["contents"],
);

/** Gemini 3 and later require signatures and allow tools together with JSON. */
const THIRD = /^gemini-([3-9]|\d\d)/;

/** They take no penalty but 0 (google-gemini/cookbook, issue 1290). */
const SINCE_2_5 = /^gemini-(2\.5|[3-9]|\d\d)/;

/** Accepted in place of a signature ("Thought signatures: FAQ"). */
const SENTINELS = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

function filterParts(content: JsonObject | undefined, kind: string): readonly JsonObject[] {
  return asArray(content?.parts)
    .map(asObject)
    .filter((each) => each[kind] !== undefined);
}

/** Each turn of calls must follow a user's, and a turn with as many responses, of the same names, must follow it. */
function checkResponses(contents: readonly JsonObject[]): void {
  contents.forEach((each, at) => {
    if (filterParts(each, "functionCall").length > 0 && contents[at - 1]?.role !== "user")
      reject(
        "value",
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    const responses = filterParts(each, "functionResponse");
    const calls = filterParts(contents[at - 1], "functionCall");
    if (responses.length === 0 && calls.length === 0) return;
    if (responses.length !== calls.length)
      reject(
        "value",
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    const names = new Set(calls.map(({ functionCall }) => asObject(functionCall).name));
    const stray = responses.find(({ functionResponse }) => !names.has(asObject(functionResponse).name));
    if (stray)
      reject(
        "value",
        "Please ensure that function response turn comes immediately after a function call turn.",
      );
  });
  if (filterParts(contents.at(-1), "functionCall").length > 0)
    reject("value", "Please ensure that multiturn requests ends with a user role or a function response.");
}

/** In the current turn, the first call of each step must carry its signature. Any signature must be valid. */
function checkSignatures(contents: readonly JsonObject[], model: string): void {
  const asked = contents.findLastIndex(
    (each) => each.role === "user" && filterParts(each, "functionResponse").length === 0,
  );
  contents.forEach((each, at) => {
    filterParts(each, "functionCall").forEach(({ functionCall, thoughtSignature: given }, index) => {
      const call = asObject(functionCall);
      if (given !== undefined && given !== signCall(call) && !SENTINELS.includes(String(given)))
        reject("value", "Corrupted thought signature.");
      // LiteLLM, issue 37541, August 2026: gemini-3.5 answers nothing then.
      if (SENTINELS.includes(String(given)) && index > 0)
        reject("value", "Only the first function call of a step may skip the validation of its signature.");
      if (given === undefined && index === 0 && at > asked && THIRD.test(model))
        reject(
          "value",
          `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${String(call.name)}\`, position ${at + 1}.`,
        );
    });
  });
}

function checkEnd(contents: readonly JsonObject[], model: string): void {
  const card = makeModelCard(`Google#${model}`);
  const isModels = contents.at(-1)?.role === "model";
  if (isModels && isKnownModel(card) && !findFacts(card).prefill)
    reject("value", "Requests ending with a model turn are not supported.");
}

/** By the product's own table. */
function checkThinkingForm(budget: unknown, model: string): void {
  const card = makeModelCard(`Google#${model}`);
  const { thinking } = findFacts(card);
  if (typeof budget !== "number" || budget < 0 || !isKnownModel(card) || thinking?.by !== "budget") return;
  const { least, most } = thinking;
  if (budget < least || budget > most)
    reject(
      "value",
      `The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`,
    );
}

function checkCombinations(body: JsonObject, model: string): void {
  const config = asObject(body.generationConfig);
  const { thinkingBudget, thinkingLevel, includeThoughts } = asObject(config.thinkingConfig);
  const json = config.responseMimeType === "application/json";
  const { mode } = asObject(asObject(body.toolConfig).functionCallingConfig);
  const old = /^gemini-[12]/.test(model);
  if ((thinkingBudget ?? null) !== null && (thinkingLevel ?? null) !== null)
    reject("value", "You can only set only one of thinking budget and thinking level.");
  if (thinkingBudget === 0 && includeThoughts === true)
    reject("value", "Thinking_config.include_thoughts is only enabled when thinking is enabled.");
  checkThinkingForm(thinkingBudget, model);
  const level = String(thinkingLevel ?? "").toUpperCase();
  const isLow = level === "MINIMAL" && /^gemini-([3-9]\S*-pro|3\.[7-9]|[4-9])/.test(model);
  if (isLow || (level === "XHIGH" && !/^gemini-4-neon/.test(model)))
    reject(
      "value",
      `Thinking level ${level} is not supported for this model. Please retry with other thinking level.`,
    );
  if (level !== "" && old) reject("value", "Thinking level is not supported for this model.");
  if ((config.responseSchema ?? config.responseJsonSchema ?? null) !== null && !json)
    reject("value", "response_schema is only supported with response_mime_type application/json.");
  if (json && asArray(body.tools).length > 0 && (old || mode === "ANY"))
    reject("value", "Function calling with a response mime type: 'application/json' is unsupported");
  const penalties = [config.presencePenalty, config.frequencyPenalty];
  if (SINCE_2_5.test(model) && penalties.some((penalty) => (penalty ?? 0) !== 0))
    reject("value", "Penalty is not enabled for this model");
  const offers = (field: string) => asArray(body.tools).some((each) => asObject(each)[field] !== undefined);
  const { includeServerSideToolInvocations: mixes } = asObject(body.toolConfig);
  if (offers("googleSearch") && offers("functionDeclarations") && (old || mixes !== true))
    reject("value", "Tool use with function calling is unsupported");
  asArray(body.tools)
    .flatMap((each) => asArray(asObject(each).functionDeclarations))
    .forEach((each) => {
      const { parameters, parametersJsonSchema, name } = asObject(each);
      if (parameters !== undefined && parametersJsonSchema !== undefined)
        reject(
          "value",
          `Only one of parameters and parameters_json_schema may be set for function ${String(name)}.`,
        );
    });
}

/** Throws a Rejection for a request that Gemini refuses ("Gemini API: generateContent", "Function calling", "Thought signatures"). */
export function checkGeminiRequest(body: JsonObject, model: string): void {
  request(body, []);
  const contents = asArray(body.contents).filter(isObject);
  checkResponses(contents);
  checkSignatures(contents, model);
  checkCombinations(body, model);
  checkTargetRows(body, model);
  checkEnd(contents, model);
}
