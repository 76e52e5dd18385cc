// Gemini's generateContent, as Gemini CLI and Google's SDKs use it, on every chat model.
import { Fault } from "../../core/faults/fault.ts";
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type {
  ChatRequest,
  FunctionTool,
  ReasoningEffort,
  ResponseFormat,
  ToolChoice,
} from "../../operations/chat/form.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import { EFFORT_WORDS, parseEffort, toEffort } from "../../operations/chat/prompt/effort.ts";
import type { SearchOptions } from "../../operations/chat/prompt/search-form.ts";
import { readDomains } from "../../operations/chat/prompt/web-search.ts";
import { Checker, checkModelName, readFields, refuseLargeNumber } from "../checker.ts";
import { listFields, listLostFields, listLostWords, type ReadFields, readWhole } from "../lost-fields.ts";
import { namePlaces } from "../places.ts";
import { nameSearch } from "../search.ts";
import type { Exchange, Incoming, Surface } from "../surface.ts";
import { writeAnswer } from "./answer.ts";
import { countUnreadParts, readContents, readSystem } from "./contents.ts";
import { refuse } from "./errors.ts";
import { toJsonSchema } from "./json-schema.ts";
import { SEARCH_TOOLS } from "./known.ts";
import { applyLane, BODY } from "./lane.ts";
import { countSchema, generateSchema } from "./schema.ts";
import { respellRequest } from "./spelling.ts";
import { GEMINI_TEXTS } from "./texts.ts";
import { explainUnserved } from "./unserved.ts";
import { GenerateWriter } from "./writer.ts";

/** Google's newest SDKs use `/v1`. The AI SDK leaves out `models` before an id with a slash. */
const PREFIX = /^\/v1(beta)?\/models\/|^\/v1beta\//;
export const VERBS = [
  ...(["generateContent", "streamGenerateContent", "countTokens"] as const),
  ...(["embedContent", "batchEmbedContents"] as const),
];
/** The fields that a translation carries. Those of `generationConfig` are looked at on their own. */
const READ_FIELDS: ReadFields = {
  ...readWhole("contents", "systemInstruction", "tools", "generationConfig"),
  toolConfig: ["functionCallingConfig"],
};
const JSON_TYPE = "application/json";
const SCHEMAS = ["responseSchema", "responseJsonSchema", "_responseJsonSchema"];

const GENERATE = new Checker(generateSchema);
const COUNTED = new Checker(countSchema);

export const GEMINI: Surface<ChatForm> = {
  name: "gemini",
  family: "gemini",
  operation: CHAT,
  idPrefix: "gen_",
  fields: listFields(generateSchema, READ_FIELDS, BODY),
  checkPath: readPath,
  read: readExchange,
  refuse,
  counting: {
    isCounting: (path) => path.endsWith(":countTokens"),
    read: readCounted,
    write: (tokens) => ({ totalTokens: tokens }),
  },
};

/** Returns the path's model and verb. Throws a Fault if it has none. */
export function readPath(path: string): { readonly model: string; readonly verb: string } {
  // The AI SDK's embeddings put another `models/` before a name that has one.
  const rest = path.replace(PREFIX, "").replace(/^models(\/|%2F)/i, "");
  const colon = rest.lastIndexOf(":");
  const verb = rest.slice(colon + 1);
  const isServed = colon >= 1 && VERBS.some((one) => one === verb);
  if (!isServed) throw explainPath(path, rest, colon);
  return { model: decode(rest.slice(0, colon)), verb };
}

/** Explains a path without a verb, or with another one than those that are served. */
function explainPath(path: string, rest: string, colon: number): Fault {
  const shown = `Unknown request URL: POST ${path.slice(0, 100)}`;
  const [, doubled] = /^(v1(?:beta)?\/[\w./-]{1,60})$/.exec(rest) ?? [];
  const unserved = explainUnserved(doubled === undefined ? path : `/${doubled}`);
  if (unserved !== null) return new Fault("unknown_url", `${shown}. ${unserved}`);
  if (colon < 1) {
    return new Fault("unknown_url", `${shown}: ${explainNoVerb(rest, doubled)}`);
  }
  const verb = rest.slice(colon + 1, colon + 41);
  const message = `Unknown request URL: the verb '${verb}' is not supported, only ${VERBS.join(", ")}.`;
  return new Fault("unknown_url", message);
}

function explainNoVerb(rest: string, doubled: string | undefined): string {
  if (doubled !== undefined) return `it has two versions of an API. Did you mean /${doubled}?`;
  const [, other] = /^openai\/([a-z/]{1,60})$/.exec(rest) ?? [];
  return other === undefined
    ? "the path needs a verb, as in /v1beta/models/{model}:generateContent. A '#' in the model's name ends a URL: write it as '/' or '%23'."
    : `OpenAI's API has no /v1beta/openai before it here. Did you mean /v1/${other}?`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Fault("model_not_found", "The model id in the URL is not valid percent-encoding.");
  }
}

function readExchange({ url, body, limits, seal }: Incoming): Exchange<ChatForm> {
  const { pathname, searchParams } = new URL(url);
  const { model, verb } = readPath(pathname);
  checkModelName(model);
  const given: JsonObject = GENERATE.check(respellRequest(readFields(body)), "contents", limits.messagesMax);
  const { candidateCount } = asObject(given.generationConfig);
  refuseLargeNumber(candidateCount, limits.choicesMax, "generationConfig.candidateCount");
  const isStreamed = verb === "streamGenerateContent";
  const isArray = isStreamed && searchParams.get("alt") !== "sse";
  const lane = applyLane(given, limits);
  const read = readAsk(model, { ...lane.body, contents: given.contents }, isStreamed, seal);
  return {
    ...read,
    names: {
      ...NAMES,
      ...nameSearch(findSearch(lane.body)?.path ?? null, SEARCH_NAMES),
      ...namePlaces(read.ask),
    },
    raw: { family: "gemini", body: lane.body, headers: {}, texts: GEMINI_TEXTS },
    session: null,
    searches: lane.searches,
    unreadBytes: read.unreadBytes + countUnreadParts(asArray(given.contents)),
    dropped: lane.dropped,
    isLimitRequired: false,
    isToBeStored: given.store === true,
    ...(isArray ? { streamType: "application/json" } : {}),
    whole: (reply, stamp) => writeAnswer(reply, stamp, seal),
    writer: (stamp) => new GenerateWriter(stamp, seal, isArray),
  };
}

/** Reads the request whose tokens are counted: contents, or a whole nested request. */
function readCounted({ url, body, limits, seal }: Incoming): ChatRequest {
  const { model } = readPath(new URL(url).pathname);
  const fields = readFields(body);
  const given = respellRequest(
    isObject(fields.generateContentRequest) ? fields.generateContentRequest : fields,
  );
  return readAsk(model, COUNTED.check(given, "contents", limits.messagesMax), false, seal).ask;
}

function readAsk(
  model: string,
  body: JsonObject,
  isStreamed: boolean,
  seal: Sealer,
): Pick<Exchange<ChatForm>, "ask" | "lost" | "unreadBytes" | "nativeOnly"> {
  const config = asObject(body.generationConfig);
  const read = readContents(asArray(body.contents), seal);
  const stops = asArray(config.stopSequences).filter((stop) => typeof stop === "string");
  const ask: ChatRequest = omitUndefined({
    model,
    messages: [...readSystem(body.systemInstruction), ...read.messages],
    ...readNumbers(config),
    stop: stops.length > 0 ? stops : undefined,
    stream: isStreamed ? true : undefined,
    ...readTools(body),
    web_search_options: readSearch(body),
    reasoning_effort: readEffort(asObject(config.thinkingConfig)),
    response_format: readFormat(config),
    logprobs: config.responseLogprobs === true ? true : undefined,
  });
  const lost = [
    ...listLostFields(body, READ_FIELDS),
    ...[...listLostFormat(config), ...listLostConfig(config)].map((field) => `generationConfig.${field}`),
    ...listLostWords(
      ["generationConfig.thinkingConfig", readWord(asObject(config.thinkingConfig).thinkingLevel), LEVELS],
      ["toolConfig", readWord(asObject(asObject(body.toolConfig).functionCallingConfig).mode), MODES],
    ),
  ];
  const { unreadBytes, nativeOnly } = read;
  return { ask, lost: [...lost, ...read.lost], unreadBytes, nativeOnly };
}

const LEVELS: ReadonlySet<unknown> = new Set([...EFFORT_WORDS, "thinking_level_unspecified"]);
const MODES: ReadonlySet<unknown> = new Set(["auto", "any", "none", "validated", "mode_unspecified"]);

/** Google accepts its words in lower case too, as ruby_llm sends them. */
function readWord(value: unknown): string | undefined {
  return asString(value)?.toLowerCase();
}

/** Number fields and their names in a chat request. */
const NUMBERS: readonly (readonly [string, string])[] = [
  ["temperature", "temperature"],
  ["topP", "top_p"],
  ["topK", "top_k"],
  ["candidateCount", "n"],
  ["maxOutputTokens", "max_completion_tokens"],
  ["seed", "seed"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
  ["logprobs", "top_logprobs"],
];

/** The fields of `generationConfig` that are read. */
const READ_CONFIG: ReadonlySet<string> = new Set([
  ...NUMBERS.map(([from]) => from),
  "stopSequences",
  "thinkingConfig",
  "responseMimeType",
  "responseLogprobs",
  ...SCHEMAS,
]);

const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(NUMBERS.map(([from, to]) => [to, `generationConfig.${from}`])),
  stop: "generationConfig.stopSequences",
  reasoning_effort: "generationConfig.thinkingConfig",
  response_format: "generationConfig.responseMimeType",
  logprobs: "generationConfig.responseLogprobs",
  tool_choice: "toolConfig",
  messages: "contents",
  ...Object.fromEntries(
    ["image_url", "file", "input_audio"].map((type) => [`messages.${type}`, "contents.parts"]),
  ),
};

function readNumbers(config: JsonObject): JsonObject {
  const fields: JsonObject = {};
  for (const [from, to] of NUMBERS) if (typeof config[from] === "number") fields[to] = config[from];
  // One answer is the default.
  if (fields.n === 1) delete fields.n;
  return fields;
}

/** Undefined for the model's own default. */
function readEffort(thinking: JsonObject): ReasoningEffort | undefined {
  const { thinkingBudget: budget, thinkingLevel: level } = thinking;
  if (typeof level === "string") return parseEffort(readWord(level));
  if (typeof budget !== "number" || budget < 0) return undefined;
  if (budget === 0) return "none";
  return toEffort(budget);
}

function readFormat(config: JsonObject): ResponseFormat | undefined {
  if (config.responseMimeType !== JSON_TYPE) return undefined;
  const schema =
    config.responseJsonSchema ?? config._responseJsonSchema ?? toJsonSchema(config.responseSchema);
  if (!isObject(schema)) return { type: "json_object" };
  return { type: "json_schema", json_schema: { name: "answer", schema }, is_guaranteed: true };
}

/** Other forms of an answer (`text/x.enum`) and their schemas are only Google's. */
function listLostFormat({ responseMimeType: type, ...config }: JsonObject): readonly string[] {
  if (type === JSON_TYPE) return [];
  const isPlain = type === undefined || type === null || type === "text/plain";
  const schemas = SCHEMAS.filter((field) => isObject(config[field]));
  return isPlain ? schemas : ["responseMimeType", ...schemas];
}

/** Lists the settings that the chat form has no field for, such as `speechConfig`, unless they ask for what is usual. */
function listLostConfig(config: JsonObject): readonly string[] {
  const lost: string[] = [];
  for (const field in config) {
    const value = config[field];
    if (READ_CONFIG.has(field) || value === undefined || value === null) continue;
    if (field !== "responseModalities" || !isTextAlone(value)) lost.push(field);
  }
  return lost;
}

function isTextAlone(modalities: unknown): boolean {
  return asArray(modalities).every((one) => one === "TEXT");
}

function readTools(body: JsonObject): Pick<ChatRequest, "tools" | "tool_choice"> {
  const tools = asArray(body.tools).flatMap((one): readonly FunctionTool[] => {
    const { functionDeclarations } = asObject(one);
    return asArray(functionDeclarations).map((declaration) => readFunction(asObject(declaration)));
  });
  if (tools.length === 0) return {};
  const choice = readChoice(asObject(asObject(body.toolConfig).functionCallingConfig));
  return { tools, ...(choice === undefined ? {} : { tool_choice: choice }) };
}

const SEARCH_NAMES = { blocked_domains: "googleSearch.excludeDomains" };

function findSearch({ tools }: JsonObject): { readonly search: JsonObject; readonly path: string } | null {
  for (const [index, one] of asArray(tools).entries()) {
    const tool = asObject(one);
    const field = SEARCH_TOOLS.find((name) => isObject(tool[name]));
    if (field !== undefined) return { search: asObject(tool[field]), path: `tools[${index}]` };
  }
  return null;
}

/** The API can't demand a search. */
function readSearch(body: JsonObject): SearchOptions | undefined {
  const found = findSearch(body);
  return found ? omitUndefined({ blocked_domains: readDomains(found.search.excludeDomains) }) : undefined;
}

function readFunction(declaration: JsonObject): FunctionTool {
  const schema = declaration.parametersJsonSchema ?? toJsonSchema(declaration.parameters);
  return {
    type: "function",
    function: omitUndefined({
      name: asString(declaration.name) ?? "",
      description: asString(declaration.description),
      parameters: isObject(schema) ? schema : undefined,
    }),
  };
}

function readChoice({ mode: given, allowedFunctionNames }: JsonObject): ToolChoice | undefined {
  const mode = readWord(given);
  const names = asArray(allowedFunctionNames).filter((name) => typeof name === "string");
  const isForced = mode === "any";
  if (mode === "none") return "none";
  const [only] = names;
  if (isForced && only !== undefined && names.length === 1)
    return { type: "function", function: { name: only } };
  if (names.length > 0) {
    const tools = names.map((name) => ({ type: "function", function: { name } }));
    return { type: "allowed_tools", allowed_tools: { mode: isForced ? "required" : "auto", tools } };
  }
  return isForced ? "required" : mode === "auto" || mode === "validated" ? "auto" : undefined;
}
