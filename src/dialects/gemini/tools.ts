// Tools and tool choice as Gemini's function declarations and calling modes.

import type { JsonObject } from "../../core/json/json.ts";
import type { ChatRequest, FunctionTool } from "../../operations/chat/form.ts";
import { type PlainChoice, simplifyChoice } from "../../operations/chat/prompt/tool-choice.ts";
import { nestFields } from "../_chat/outgoing.ts";
import { type Expansion, makeExpansion } from "../_chat/schemas/references.ts";
import { toFunction } from "../_chat/tools.ts";
import { cleanSchema } from "./schema.ts";

export interface FunctionCalling {
  /** `tools` and `toolConfig`, if the request has them. */
  readonly fields: JsonObject;
  /** True if there are tools, of which some formats of the answer don't allow any. */
  readonly declared: boolean;
  /** True if the model must answer with a call. */
  readonly forced: boolean;
}

/** Google's names begin with a letter or underscore, but OpenAI's may begin with a digit or dash. */
export function toSentName(name: string): string {
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

/** Maps the sent tool names to the client's. */
export function mapSentNames({ tools = [] }: ChatRequest): ReadonlyMap<string, string> {
  const names = tools.map((tool) => toFunction(tool).function.name);
  return new Map(names.map((name) => [toSentName(name), name]));
}

type CallingMode = "AUTO" | "ANY" | "NONE" | "VALIDATED";

/** Declares the tools. A custom tool becomes a function with one string. */
export function makeFunctionCalling(
  { tools, tool_choice: given, web_search_options: search, validates_calls: isValidated }: ChatRequest,
  canLimit: boolean,
): FunctionCalling {
  const searching = search ? [{ googleSearch: {} }] : [];
  const alone = { fields: search ? { tools: searching } : {}, declared: search !== undefined, forced: false };
  if (!tools) return alone;
  const chosen = simplifyChoice(given);
  const plain = toMode(chosen.choice);
  const isLimited = canLimit && chosen.allowed !== null && plain === "AUTO";
  const mode = (isValidated || isLimited) && plain === "AUTO" ? "VALIDATED" : plain;
  const expansion = makeExpansion();
  const declarations = tools.map((tool) => makeDeclaration(toFunction(tool).function, expansion));
  const allowed = chosen.allowed && new Set([...chosen.allowed].map(toSentName));
  const offered = allowed ? declarations.filter(({ name }) => allowed.has(name)) : declarations;
  // Without a mode that takes `allowedFunctionNames`, only the allowed functions are declared.
  const kept = isLimited || mode === "ANY" ? declarations : offered;
  if (kept.length === 0) return alone;
  const limit = isLimited ? limitCalls(offered) : { mode, ...listNames(chosen) };
  const config = {
    ...(mode ? { functionCallingConfig: limit } : {}),
    ...(search ? { includeServerSideToolInvocations: true } : {}),
  };
  const fields = {
    tools: [...searching, { functionDeclarations: kept }],
    ...nestFields("toolConfig", config),
  };
  return { fields, declared: true, forced: mode === "ANY" };
}

/** An empty list would allow all. */
function limitCalls(offered: readonly Declaration[]): JsonObject {
  if (offered.length === 0) return { mode: "NONE" };
  return { mode: "VALIDATED", allowedFunctionNames: offered.map(({ name }) => name) };
}

function toMode(choice: PlainChoice["choice"]): CallingMode | undefined {
  if (choice === undefined) return undefined;
  if (choice === "none") return "NONE";
  return choice === "auto" ? "AUTO" : "ANY";
}

function listNames({ choice, allowed }: PlainChoice): { allowedFunctionNames?: readonly string[] } {
  if (typeof choice === "object") return { allowedFunctionNames: [toSentName(choice.function.name)] };
  return choice === "required" && allowed ? { allowedFunctionNames: [...allowed].map(toSentName) } : {};
}

interface Declaration extends JsonObject {
  readonly name: string;
}

/**
 * Uses `parametersJsonSchema` instead of `parameters`: the latter is a fixed set of OpenAPI fields in which one unknown
 * keyword refuses the whole request, and which can't express several types, `additionalProperties` or texts beside
 * `anyOf`. All served generations accept the former, and Google's own SDKs send it.
 */
function makeDeclaration(
  { name, description, parameters }: FunctionTool["function"],
  expansion: Expansion,
): Declaration {
  const schema = parameters && cleanSchema(parameters, expansion);
  return {
    name: toSentName(name),
    ...(description === undefined ? {} : { description }),
    // Arguments are an object even if the schema doesn't say so.
    ...(schema
      ? { parametersJsonSchema: { ...(schema.type === undefined ? { type: "object" } : {}), ...schema } }
      : {}),
  };
}
