// Explains a role or a kind of tool that a surface doesn't have and another API does.
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";

const RESULT = " Send a tool's result as a block 'tool_result' in a message with the role 'user'.";
const ANSWER = " A model's answer has the role 'assistant'.";

/** By roles of other APIs. OpenAI's own are taken by OpenAI's surfaces. */
const ROLES: Readonly<Record<string, string>> = {
  developer: " Send instructions in the field 'system', beside 'messages'.",
  tool: RESULT,
  function: RESULT,
  model: ANSWER,
  ai: ANSWER,
  bot: ANSWER,
  human: " What a person says has the role 'user'.",
};

const NOBODY_RUNS =
  "is a tool that a provider would run, which none does here. Offer a function of your own that does it.";

/** Tools of other APIs in a chat request, by their types: the first row that fits counts. */
const TOOLS: readonly (readonly [type: RegExp, hint: string])[] = [
  [/^file_search/, "searches a vector store, which belongs to the provider's account. Send what was found."],
  [
    /^(web_?search|google_?search|googleSearch|openrouter:web_search)/,
    "searches the web. Here, ask for that by 'web_search_options': {}; POST /v1/responses takes it as a tool.",
  ],
  [/^mcp/, "calls a tool server. POST /v1/responses takes it, if the server is one of this gateway's."],
  [/^(code_interpreter|code_?execution|codeExecution|image_generation)/, NOBODY_RUNS],
  [/^(bash|text_editor|memory|computer|web_fetch)_\d/, "is Anthropic's. POST /v1/messages takes it."],
  [
    /^(local_shell|shell|apply_patch|computer_use_preview|computer|namespace|tool_search)$/,
    "is of the Responses API. POST /v1/responses takes it.",
  ],
];

/** Google's tools have no type, but a field of their own. */
const GOOGLE_TOOLS = ["googleSearch", "google_search", "codeExecution", "code_execution"];

const PLACE = /^(messages|tools)\[(\d+)\]\.(role|type)$/;

/** Adds to the Fault of a role or a tool's type what it is elsewhere, and what to send here. Returns any other unchanged. */
export function explainForeignValue(fault: Fault, given: JsonObject): Fault {
  const [, list = "", index = "", field] = PLACE.exec(fault.details.param ?? "") ?? [];
  const element = asObject(asArray(given[list])[Number(index)]);
  const hint = field === "role" ? ROLES[asString(element.role) ?? ""] : explainTool(list, element);
  return hint === undefined ? fault : new Fault(fault.code, fault.message + hint, fault.details);
}

function explainTool(list: string, tool: JsonObject): string | undefined {
  if (list !== "tools") return undefined;
  const type = asString(tool.type) ?? GOOGLE_TOOLS.find((one) => tool[one] !== undefined) ?? "";
  const row = TOOLS.find(([shape]) => shape.test(type));
  // The type fits a row, so it is no more than a name.
  return row && ` '${/^[\w:]{1,64}/.exec(type)?.[0]}' ${row[1]}`;
}
