// Calls of the gateway's own tools in a request's input, as the function calls that the model made, with their results.
import { asArray, asObject, asString, type JsonObject } from "../../../core/json/json.ts";
import { makeFunctionName } from "./functions.ts";

/** Our ids of such items: of calls with the answer of the model in which they were made. */
const CALL_ID = /^mcp_pk1_(.+_\d+)_\d+$/;
const LIST_ID = /^mcpl_pk1_/;
const NO_RESULT = "The call was not made.";

export interface OwnLabels {
  isOwn(label: unknown): boolean;
  nameFunction(label: string, name: string): string;
}

/** For requests that name no server of ours. */
const NO_LABELS: OwnLabels = { isOwn: () => false, nameFunction: makeFunctionName };

/** `turn` is the number of the model's answer. */
export function makeCallId(responseId: string, turn: number, index: number): string {
  return `mcp_pk1_${responseId.replace(/^resp_/, "")}_${turn}_${index}`;
}

export function makeListId(responseId: string, index: number): string {
  return `mcpl_pk1_${responseId.replace(/^resp_/, "")}_${index}`;
}

function isOwnItem(one: unknown): boolean {
  const { type, id } = asObject(one);
  if (type === "mcp_call") return CALL_ID.test(asString(id) ?? "");
  return type === "mcp_list_tools" && LIST_ID.test(asString(id) ?? "");
}

/**
 * Returns the input with function calls and their results in the place of ours, and without lists of our tools: the same object
 * if it has none. Calls of one answer stay together, so that the model finds the turn as it made it.
 */
export function openOwnCalls(input: unknown, labels: OwnLabels = NO_LABELS): unknown {
  if (!Array.isArray(input)) return input;
  const isOurs = (one: unknown) => {
    const { type, server_label: label } = asObject(one);
    return isOwnItem(one) || ((type === "mcp_call" || type === "mcp_list_tools") && labels.isOwn(label));
  };
  if (!input.some(isOurs)) return input;
  const opened: unknown[] = [];
  const results: JsonObject[] = [];
  let turn: string | null = null;
  for (const [index, one] of input.entries()) {
    const item = asObject(one);
    const isCall = item.type === "mcp_call" && isOurs(one);
    const own = isCall ? findTurn(item) : null;
    if (results.length > 0 && (own === null || own !== turn)) opened.push(...results.splice(0));
    turn = own;
    if (isCall) {
      const callId = makeFunctionCallId(item, index);
      opened.push(writeCall(item, callId, labels));
      results.push({ type: "function_call_output", call_id: callId, output: readOutput(item) });
    } else if (!isOurs(one)) opened.push(one);
  }
  return [...opened, ...results];
}

function findTurn({ id }: JsonObject): string | null {
  return CALL_ID.exec(asString(id) ?? "")?.[1] ?? null;
}

/** The same each time, so that the prompt stays the same. */
function makeFunctionCallId({ id }: JsonObject, index: number): string {
  const own = asString(id) ?? "";
  return CALL_ID.test(own) ? own.replace(/^mcp_pk1_/, "call_") : `call_mcp_${index}`;
}

function writeCall(item: JsonObject, callId: string, labels: OwnLabels): JsonObject {
  const name = labels.nameFunction(asString(item.server_label) ?? "", asString(item.name) ?? "");
  return { type: "function_call", call_id: callId, name, arguments: asString(item.arguments) ?? "{}" };
}

/** A failed call has an error in the place of its output. */
function readOutput({ output, error }: JsonObject): string {
  if (typeof output === "string") return output;
  if (typeof error === "string") return error;
  const { message, content } = asObject(error);
  if (typeof message === "string") return message;
  const texts = asArray(content).flatMap((part) => asString(asObject(part).text) ?? []);
  return texts.length > 0 ? texts.join("\n") : NO_RESULT;
}
