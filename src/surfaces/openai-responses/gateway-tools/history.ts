// Calls of tools that the gateway runs in a request's input, as the function calls that the model made, with their results.
import { asArray, asObject, asString, type JsonObject } from "../../../core/json/json.ts";
import { makeFunctionName } from "./functions.ts";

/** Our ids of such items: of calls with the answer of the model in which they were made. */
const CALL_ID = /^mcp_pk1_(.+_\d+)_\d+$/;
const LIST_ID = /^mcpl_pk1_/;
const NO_RESULT = "The call was not made.";
/** Calls of the client's own, which a model makes beside ours. */
const CLIENTS: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call"]);

interface GatewayLabels {
  isOwn(label: unknown): boolean;
  nameFunction(label: string, name: string): string;
}

/** For requests that name no server of ours. */
const NO_LABELS: GatewayLabels = { isOwn: () => false, nameFunction: makeFunctionName };

/** `turn` is the number of the model's answer. */
export function makeCallId(responseId: string, turn: number, index: number): string {
  return `mcp_pk1_${responseId.replace(/^resp_/, "")}_${turn}_${index}`;
}

export function makeListId(responseId: string, index: number): string {
  return `mcpl_pk1_${responseId.replace(/^resp_/, "")}_${index}`;
}

function isGatewayItem(one: unknown): boolean {
  const { type, id } = asObject(one);
  if (type === "mcp_call") return CALL_ID.test(asString(id) ?? "");
  return type === "mcp_list_tools" && LIST_ID.test(asString(id) ?? "");
}

/**
 * Returns the input with function calls and their results in the place of ours, and without lists of our tools: the same object
 * if it has none. Calls of one answer stay together, so that the model finds the turn as it made it.
 */
export function openGatewayToolCalls(input: unknown, labels: GatewayLabels = NO_LABELS): unknown {
  if (!Array.isArray(input) || !input.some((one) => isOurs(one, labels))) return input;
  const opening = new OpenedHistory(labels);
  for (const [index, one] of input.entries()) opening.add(one, index);
  return opening.end();
}

function isOurs(one: unknown, labels: GatewayLabels): boolean {
  const { type, server_label: label } = asObject(one);
  return isGatewayItem(one) || ((type === "mcp_call" || type === "mcp_list_tools") && labels.isOwn(label));
}

class OpenedHistory {
  readonly #labels: GatewayLabels;
  readonly #opened: unknown[] = [];
  /** The results of the turn's calls, which follow the last of them. */
  #results: JsonObject[] = [];
  #turn: string | null = null;

  constructor(labels: GatewayLabels) {
    this.#labels = labels;
  }

  add(one: unknown, index: number): void {
    const item = asObject(one);
    const isOwn = isOurs(one, this.#labels);
    if (isOwn && item.type === "mcp_call") this.#addCall(item, index);
    else {
      if (!CLIENTS.has(item.type)) this.#endTurn(null);
      if (!isOwn) this.#opened.push(one);
    }
  }

  end(): readonly unknown[] {
    this.#endTurn(null);
    return this.#opened;
  }

  #addCall(item: JsonObject, index: number): void {
    const turn = findTurn(item);
    if (turn === null || turn !== this.#turn) this.#endTurn(turn);
    const callId = makeFunctionCallId(item, index);
    this.#opened.push(writeCall(item, callId, this.#labels));
    this.#results.push({ type: "function_call_output", call_id: callId, output: readOutput(item) });
  }

  #endTurn(next: string | null): void {
    this.#opened.push(...this.#results);
    this.#results = [];
    this.#turn = next;
  }
}

function findTurn({ id }: JsonObject): string | null {
  return CALL_ID.exec(asString(id) ?? "")?.[1] ?? null;
}

/** The same each time, so that the prompt stays the same. */
function makeFunctionCallId({ id }: JsonObject, index: number): string {
  const own = asString(id) ?? "";
  return CALL_ID.test(own) ? own.replace(/^mcp_pk1_/, "call_") : `call_mcp_${index}`;
}

function writeCall(item: JsonObject, callId: string, labels: GatewayLabels): JsonObject {
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
