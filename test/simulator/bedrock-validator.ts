// Validates requests to Bedrock's runtime: Converse's shapes, turns, each family's limits, and Claude's InvokeModel
// body.
import { asArray, asObject, isObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { reject } from "../../src/simulator/problem.ts";
import { signText } from "../../src/simulator/responder.ts";
import type { Incoming } from "../../src/simulator/types.ts";
import { checkMessagesRequest } from "./anthropic-validator.ts";
import {
  COHERE_EMBEDDINGS,
  COHERE_RERANK,
  CONVERSE_REQUEST,
  NOVA_EMBEDDINGS,
  TITAN_EMBEDDINGS,
  TITAN_FIRST_EMBEDDINGS,
} from "./bedrock-shapes.ts";

const CACHE_POINTS_MAX = 4;
const CACHING = /anthropic\.claude|amazon\.nova/;
const CACHING_TOOLS = /anthropic\.claude/;
const FORCING_ANY = /anthropic\.claude|amazon\.nova|mistral\./;
const FORCING_ONE = /anthropic\.claude|amazon\.nova/;
const RESULT_STATUS = /anthropic\.claude|amazon\.nova/;
/** The betas that Claude's models accept on Bedrock. */
const BETAS =
  /^(computer-use-|token-efficient-tools-2025-02-19|interleaved-thinking-2025-05-14|output-128k-2025-02-19|context-1m-2025-08-07|context-management-2025-06-27|effort-2025-11-24|thinking-binding-controls-2026-08-01|tool-search-tool-2025-10-19|tool-examples-2025-10-29)/;
const EXTRA_INPUTS = [
  "model",
  "stream",
  "cache_control",
  "container",
  "inference_geo",
  "service_tier",
  "speed",
];

function listBlocks(message: unknown): JsonObject[] {
  return asArray(asObject(message).content).filter(isObject);
}

function readIds(blocks: readonly JsonObject[], kind: "toolUse" | "toolResult"): string[] {
  return blocks.flatMap((block) => (isObject(block[kind]) ? [String(asObject(block[kind]).toolUseId)] : []));
}

function checkResults(answered: readonly string[], asked: readonly string[], at: number): void {
  if (answered.length > asked.length)
    reject(
      "value",
      `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`,
    );
  const missing = asked.filter((id) => !answered.includes(id));
  if (missing.length > 0)
    reject(
      "value",
      `Expected toolResult blocks at messages.${at}.content for the following Ids: ${missing.join(", ")}`,
    );
}

/** Turns alternate, and each result answers a call of the turn before. */
function checkTurns(messages: readonly unknown[]): void {
  let asked: readonly string[] = [];
  messages.forEach((message, at) => {
    const blocks = listBlocks(message);
    const { role } = asObject(message);
    if (at === 0 && role !== "user")
      reject(
        "value",
        "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
      );
    if (role !== (at % 2 === 0 ? "user" : "assistant"))
      reject(
        "value",
        "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
      );
    checkResults(readIds(blocks, "toolResult"), asked, at);
    if (blocks.some(({ document }) => document) && !blocks.some(({ text }) => text !== undefined))
      reject(
        "value",
        "A text block must be included when using documents. Add a text block and retry your request.",
      );
    asked = readIds(blocks, "toolUse");
  });
  if (messages.length % 2 === 0) reject("value", "The conversation must end with a user message.");
}

function checkDocuments(messages: readonly unknown[]): void {
  const blocks = messages.flatMap(listBlocks);
  const inner = blocks.flatMap(({ toolResult }) => asArray(asObject(toolResult).content).map(asObject));
  const names = [...blocks, ...inner].flatMap(({ document }) => asObject(document).name ?? []);
  if (new Set(names).size < names.length) reject("value", "Conversation contains duplicate document names.");
}

function checkReasoning(messages: readonly unknown[]): void {
  for (const { reasoningContent } of messages.flatMap(listBlocks)) {
    if (!isObject(reasoningContent)) continue;
    const { text, signature } = asObject(reasoningContent.reasoningText);
    if (signature !== signText(String(text))) reject("value", "Invalid `signature` in `thinking` block");
  }
}

function checkTools(body: JsonObject, model: string): void {
  const { tools, toolChoice } = asObject(body.toolConfig);
  const names = asArray(tools).flatMap((tool) => asObject(asObject(tool).toolSpec).name ?? []);
  const blocks = asArray(body.messages).flatMap(listBlocks);
  if (names.length === 0 && blocks.some(({ toolUse, toolResult }) => toolUse ?? toolResult))
    reject("value", "The toolConfig field must be defined when using toolUse and toolResult content blocks.");
  if (new Set(names).size < names.length) reject("value", "The tool names must be unique.");
  const { any, tool } = asObject(toolChoice);
  const isRefused = (any && !FORCING_ANY.test(model)) || (tool && !FORCING_ONE.test(model));
  const field = `toolConfig.toolChoice.${any ? "any" : "tool"}`;
  if (isRefused)
    reject("value", `This model doesn't support the ${field} field. Remove ${field} and try again.`);
  const hasStatus = blocks.some(({ toolResult }) => asObject(toolResult).status !== undefined);
  if (hasStatus && !RESULT_STATUS.test(model))
    reject("value", "This model doesn't support the status field. Remove status and try again.");
}

function checkCache(body: JsonObject, model: string): void {
  const count = (blocks: readonly unknown[]) =>
    blocks.filter((block) => asObject(block).cachePoint !== undefined).length;
  const tools = count(asArray(asObject(body.toolConfig).tools));
  const prompt = count(asArray(body.system)) + count(asArray(body.messages).flatMap(listBlocks));
  if (tools + prompt > CACHE_POINTS_MAX)
    reject("value", `A maximum of 4 blocks with cache_control may be provided. Found ${tools + prompt}.`);
  if ((prompt > 0 && !CACHING.test(model)) || (tools > 0 && !CACHING_TOOLS.test(model)))
    reject(
      "forbidden",
      "You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.",
    );
}

function checkConverse(body: JsonObject, model: string): void {
  CONVERSE_REQUEST(body, []);
  const messages = asArray(body.messages);
  checkTurns(messages);
  checkDocuments(messages);
  checkReasoning(messages);
  checkTools(body, model);
  checkCache(body, model);
  const { structure } = asObject(asObject(body.outputConfig).textFormat);
  const { schema } = asObject(asObject(structure).jsonSchema);
  if (schema !== undefined && asObject(parseJson(String(schema))).additionalProperties !== false)
    reject(
      "value",
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    );
}

function checkInvoke(body: JsonObject, model: string): void {
  const { anthropic_version: version, anthropic_beta: given, ...message } = body;
  if (version !== "bedrock-2023-05-31") reject("value", `Invalid API version: ${String(version ?? "")}`);
  const betas = asArray(given).map(String);
  if (betas.some((beta) => !BETAS.test(beta))) reject("value", "invalid beta flag");
  for (const field of EXTRA_INPUTS) {
    if (body[field] !== undefined) reject("value", `${field}: Extra inputs are not permitted`);
  }
  const name = model.replace(/^.*anthropic\./, "");
  const headers = { "anthropic-version": "2023-06-01", "anthropic-beta": betas.join(",") };
  checkMessagesRequest({ ...message, model: name }, name, headers);
}

/** The requests beyond chat that each maker's models accept. */
const WORK: readonly (readonly [RegExp, (body: JsonObject) => void])[] = [
  [/titan-embed-text-v2/, (body) => TITAN_EMBEDDINGS(body, [])],
  [/titan-embed/, (body) => TITAN_FIRST_EMBEDDINGS(body, [])],
  [/nova.*embeddings/, (body) => NOVA_EMBEDDINGS(body, [])],
  [/cohere\.embed/, (body) => COHERE_EMBEDDINGS(body, [])],
  [/cohere\.rerank/, (body) => COHERE_RERANK(body, [])],
];

const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date[a-z0-9;-]*, Signature=[0-9a-f]{64}$/;

/** Throws a Rejection for a request that Bedrock refuses ("Amazon Bedrock API reference"). */
export function checkBedrockRequest({ path, headers, body }: Incoming, model: string): void {
  const proof = headers.authorization ?? "";
  if (proof.startsWith("AWS4") && !SIGNATURE.test(proof))
    reject(
      "forbidden",
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
    );
  const [, checkWork = checkInvoke] = WORK.find(([names]) => names.test(model)) ?? [];
  const check = path.includes("/converse") ? checkConverse : checkWork;
  check(body, model);
}
