// A model list in the shapes of Anthropic's and Google's APIs.
import { Type } from "@sinclair/typebox";
import type { View } from "../../admin/schema.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";

const limit = Type.Optional(Type.Union([Type.Integer(), Type.Null()]));
const names = Type.Array(Type.String());

/** A model, or a selector, in OpenAI's shape. */
export const modelSchema = Type.Object({
  id: Type.String({ example: "OpenAI#gpt-5.4" }),
  object: Type.String(),
  created: Type.Integer({ description: "Unix seconds." }),
  owned_by: Type.String(),
  context_window: limit,
  context_length: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], {
      description: "The same by OpenRouter's and LM Studio's name.",
    }),
  ),
  max_output_tokens: limit,
  shutdown_date: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  pricing: Type.Optional(
    Type.Union([Type.Object({}), Type.Null()], { description: "In USD per million tokens." }),
  ),
  capabilities: Type.Optional(names),
  operations: Type.Optional(
    Type.Union([names, Type.Null()], { description: "The operations that it serves." }),
  ),
});
export const modelListSchema = Type.Object({ object: Type.String(), data: Type.Array(modelSchema) });

/** An entry of the list in OpenAI's shape, from which the other shapes are built. */
export type ModelEntry = Pick<
  View<typeof modelSchema>,
  "id" | "created" | "context_window" | "max_output_tokens" | "operations" | "shutdown_date"
>;

/** Other APIs' forms of an entry and of a page of the list. */
export const ANTHROPIC_SHAPE = { write: writeAnthropicModel, writePage: writeAnthropicPage };
export const GEMINI_SHAPE = { write: writeGeminiModel, writePage: writeGeminiPage };

const PAGE_DEFAULT = 20;
const PAGE_MAX = 1000;

/** Returns a page in Anthropic's shape (Anthropic API reference, "List Models"). */
function writeAnthropicPage(all: readonly ModelEntry[], query: URLSearchParams): JsonObject {
  const limit = readLimit(query.get("limit"));
  const after = findPlace(all, query.get("after_id"), "after_id");
  const before = findPlace(all, query.get("before_id"), "before_id");
  const from = after !== null ? after + 1 : before !== null ? Math.max(0, before - limit) : 0;
  const to = before !== null && after === null ? before : Math.min(all.length, from + limit);
  const data = all.slice(from, to).map(writeAnthropicModel);
  const hasMore = before !== null && after === null ? from > 0 : to < all.length;
  return { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

function readLimit(given: string | null): number {
  if (given === null) return PAGE_DEFAULT;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= PAGE_MAX) return limit;
  throw invalidValue("limit", `expected an integer from 1 to ${PAGE_MAX}`);
}

/** Returns the index of the id. Null if there is no id. Throws a Fault that names the parameter if the id isn't listed. */
function findPlace(all: readonly ModelEntry[], id: string | null, param: string): number | null {
  if (id === null) return null;
  const at = all.findIndex((model) => model.id === id);
  if (at !== -1) return at;
  throw invalidValue(param, "there is no such model in the list");
}

function writeAnthropicModel({ id, created, ...limits }: ModelEntry): JsonObject {
  const { context_window, max_output_tokens, shutdown_date: end } = limits;
  return {
    type: "model",
    id,
    display_name: id,
    created_at: new Date(created * 1000).toISOString(),
    // Ended models are in no list.
    lifecycle: end ? "deprecated" : "active",
    ...(end ? { retires_at: new Date(end).toISOString() } : {}),
    ...(context_window ? { max_input_tokens: context_window } : {}),
    ...(max_output_tokens ? { max_tokens: max_output_tokens } : {}),
  };
}

const GEMINI_PAGE_DEFAULT = 50;

/** Returns a page in Google's shape. Larger pages than the largest are cut to it (Gemini API reference, "models.list"). */
function writeGeminiPage(all: readonly ModelEntry[], query: URLSearchParams): JsonObject {
  const size = query.get("pageSize") ?? "";
  if (!/^\d{0,9}$/.test(size)) throw invalidValue("pageSize", "expected an integer that isn't negative");
  const token = query.get("pageToken") || null;
  const after = findPlace(all, token && Buffer.from(token, "base64url").toString(), "pageToken") ?? -1;
  const page = all.slice(after + 1, after + 1 + Math.min(PAGE_MAX, Number(size) || GEMINI_PAGE_DEFAULT));
  const last = page.at(-1);
  const hasMore = last !== undefined && last !== all.at(-1);
  return {
    models: page.map(writeGeminiModel),
    ...(hasMore ? { nextPageToken: Buffer.from(last.id).toString("base64url") } : {}),
  };
}

/** Google's SDKs drop all after a bare `#`, so the id gets a slash (Gemini API reference, "models.list"). */
function writeGeminiModel(entry: ModelEntry): JsonObject {
  const { id, context_window, max_output_tokens, operations } = entry;
  return {
    name: `models/${id.replace("#", "/")}`,
    displayName: id,
    ...(context_window ? { inputTokenLimit: context_window } : {}),
    ...(max_output_tokens ? { outputTokenLimit: max_output_tokens } : {}),
    supportedGenerationMethods: operations?.includes("embeddings")
      ? ["embedContent", "batchEmbedContents"]
      : ["generateContent", "countTokens"],
  };
}
