// Tools and the choice among them as Gemini's function declarations and calling modes.

import type { JsonObject } from "../../core/json.ts";
import type { ChatRequest, FunctionTool } from "../../operations/chat/form.ts";
import { type PlainChoice, plainChoice } from "../../operations/chat/tool-choice.ts";
import { asFunction } from "../_chat/tools.ts";
import { cleanSchema } from "./schema.ts";

export interface Calling {
  /** `tools` and `toolConfig`, as far as the request has them. */
  readonly fields: JsonObject;
  readonly declared: boolean;
  /** The model must answer with a call. */
  readonly forced: boolean;
}

/** Google's names begin with a letter or an underscore, OpenAI's may begin with a digit or a dash. */
export function sentName(name: string): string {
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

/** The client's names of its tools by those that were sent. */
export function namesByThoseSent({ tools = [] }: ChatRequest): ReadonlyMap<string, string> {
  const names = tools.map((tool) => asFunction(tool).function.name);
  return new Map(names.map((name) => [sentName(name), name]));
}

type Mode = "AUTO" | "ANY" | "NONE";

/** A custom tool is declared as the function of one string that stands for it. */
export function callingOf({ tools, tool_choice: given }: ChatRequest): Calling {
  if (!tools) return { fields: {}, declared: false, forced: false };
  const chosen = plainChoice(given);
  const mode = modeOf(chosen.choice);
  const declarations = tools.map((tool) => declarationOf(asFunction(tool).function));
  // `allowedFunctionNames` goes only with ANY: a choice that leaves the model free is made by declaring fewer.
  const allowed = chosen.allowed && new Set([...chosen.allowed].map(sentName));
  const kept =
    allowed && mode !== "ANY" ? declarations.filter(({ name }) => allowed.has(name)) : declarations;
  if (kept.length === 0) return { fields: {}, declared: false, forced: false };
  const config = mode ? { toolConfig: { functionCallingConfig: { mode, ...namesOf(chosen) } } } : {};
  const fields = { tools: [{ functionDeclarations: kept }], ...config };
  return { fields, declared: true, forced: mode === "ANY" };
}

function modeOf(choice: PlainChoice["choice"]): Mode | undefined {
  if (choice === undefined) return undefined;
  if (choice === "none") return "NONE";
  return choice === "auto" ? "AUTO" : "ANY";
}

function namesOf({ choice, allowed }: PlainChoice): { allowedFunctionNames?: readonly string[] } {
  if (typeof choice === "object") return { allowedFunctionNames: [sentName(choice.function.name)] };
  return choice === "required" && allowed ? { allowedFunctionNames: [...allowed].map(sentName) } : {};
}

interface Declaration extends JsonObject {
  readonly name: string;
}

/**
 * `parametersJsonSchema`, not `parameters`: the latter is a fixed set of OpenAPI fields in which one unknown keyword
 * refuses the whole request, and which can't say several types, `additionalProperties` or texts beside `anyOf`. All
 * served generations take the former, and Google's own SDKs send it.
 */
function declarationOf({ name, description, parameters }: FunctionTool["function"]): Declaration {
  return {
    name: sentName(name),
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parametersJsonSchema: rooted(cleanSchema(parameters)) }),
  };
}

/** Arguments are an object, also where the schema does not say so. */
function rooted(schema: JsonObject): JsonObject {
  return schema.type === undefined ? { type: "object", ...schema } : schema;
}
