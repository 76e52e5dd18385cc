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

type Mode = "AUTO" | "ANY" | "NONE" | "VALIDATED";

/** Declares the tools. A custom tool becomes a function with one string. */
export function makeFunctionCalling({
  tools,
  tool_choice: given,
  web_search_options: search,
  validates_calls: isValidated,
}: ChatRequest): FunctionCalling {
  const searching = search ? [{ googleSearch: {} }] : [];
  const alone = { fields: search ? { tools: searching } : {}, declared: search !== undefined, forced: false };
  if (!tools) return alone;
  const chosen = simplifyChoice(given);
  const plain = toMode(chosen.choice);
  const mode = isValidated && plain === "AUTO" ? "VALIDATED" : plain;
  const expansion = makeExpansion();
  const declarations = tools.map((tool) => makeDeclaration(toFunction(tool).function, expansion));
  // `allowedFunctionNames` works only with ANY. For other modes only the allowed functions are declared.
  const allowed = chosen.allowed && new Set([...chosen.allowed].map(toSentName));
  const kept =
    allowed && mode !== "ANY" ? declarations.filter(({ name }) => allowed.has(name)) : declarations;
  if (kept.length === 0) return alone;
  const config = {
    ...(mode ? { functionCallingConfig: { mode, ...listNames(chosen) } } : {}),
    ...(search ? { includeServerSideToolInvocations: true } : {}),
  };
  const fields = {
    tools: [...searching, { functionDeclarations: kept }],
    ...nestFields("toolConfig", config),
  };
  return { fields, declared: true, forced: mode === "ANY" };
}

function toMode(choice: PlainChoice["choice"]): Mode | undefined {
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
