// Finds a tool's result without its call, or a call without its result, in a client's own request: providers refuse both, at
// places of their own forms.
import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { SurfaceName } from "../../core/log/record.ts";

/** The calls or the results of an element of the conversation, by their ids, with the places. */
type PlaceById = ReadonlyMap<unknown, string>;

interface CalledTurn {
  readonly calls: PlaceById;
  readonly results: PlaceById;
}

interface ConversationForm {
  readonly list: string;
  readTurn(element: JsonObject, path: string): CalledTurn;
  /** Words for what a call and a result are here. */
  readonly call: string;
  readonly result: string;
  /** True if a result may stand anywhere behind its call. Otherwise it stands right behind it. */
  readonly isLoose?: true;
}

type Pairs = readonly (readonly [id: unknown, path: string])[];

/** Places the parts of a list that have a field, by the ids in them. */
function placeParts(parts: unknown, path: string, readId: (part: JsonObject) => unknown): PlaceById {
  const list = isObject(parts) ? [parts] : asArray(parts);
  const pairs: Pairs = list.map((part, at) => [readId(asObject(part)), `${path}[${at}]`]);
  return new Map(pairs.filter(([id]) => id !== undefined));
}

const NONE: PlaceById = new Map();
const place = (id: unknown, path: string): PlaceById => new Map([[id, path]]);

/** Google's clients may leave out the ids, and name the function alone. */
function readGoogleId(camel: string, snake: string) {
  return (part: JsonObject) => {
    const found = part[camel] ?? part[snake];
    return isObject(found) ? (found.id ?? found.name) : undefined;
  };
}

const FORMS: Partial<Readonly<Record<SurfaceName, ConversationForm>>> = {
  "openai-chat": {
    list: "messages",
    call: "the assistant's message with its 'tool_calls'",
    result: "a message with the role 'tool'",
    readTurn: ({ role, tool_calls: calls, tool_call_id: id }, path) => ({
      calls: role === "assistant" ? placeParts(calls, `${path}.tool_calls`, (call) => call.id) : NONE,
      results: role === "tool" ? place(id, path) : NONE,
    }),
  },
  "anthropic-messages": {
    list: "messages",
    call: "the assistant's message with its 'tool_use' block",
    result: "a 'tool_result' block in the next message",
    readTurn: ({ role, content }, path) => {
      const of = (type: string, field: string) => (block: JsonObject) =>
        block.type === type ? block[field] : undefined;
      const blocks = Array.isArray(content) ? content : [];
      return {
        calls: role === "assistant" ? placeParts(blocks, `${path}.content`, of("tool_use", "id")) : NONE,
        results: placeParts(blocks, `${path}.content`, of("tool_result", "tool_use_id")),
      };
    },
  },
  "openai-responses": {
    list: "input",
    call: "the 'function_call' item",
    result: "a 'function_call_output' item",
    isLoose: true,
    readTurn: ({ type, call_id: id }, path) => ({
      calls: type === "function_call" ? place(id, path) : NONE,
      results: type === "function_call_output" ? place(id, path) : NONE,
    }),
  },
  gemini: {
    list: "contents",
    call: "the model's content with its 'functionCall' part",
    result: "a 'functionResponse' part in the next content",
    readTurn: ({ parts }, path) => ({
      calls: placeParts(parts, `${path}.parts`, readGoogleId("functionCall", "function_call")),
      results: placeParts(parts, `${path}.parts`, readGoogleId("functionResponse", "function_response")),
    }),
  },
};

/** A mistake in a client's own request. */
export interface Mistake {
  readonly param: string;
  readonly message: string;
}

/** Returns the first of both with its place in the body. Null if each call has its result. */
export function findLone(surface: SurfaceName, body: JsonObject): Mistake | null {
  const form = FORMS[surface];
  const elements = form === undefined ? undefined : body[form.list];
  if (form === undefined || !Array.isArray(elements)) return null;
  const open = new Map<unknown, string>();
  for (const [at, element] of elements.entries()) {
    const { calls, results } = form.readTurn(asObject(element), `${form.list}[${at}]`);
    for (const [id, path] of results) if (!open.delete(id)) return loneResult(path, form);
    const [unanswered] = results.size === 0 && form.isLoose !== true ? open.values() : [];
    if (unanswered !== undefined) return loneCall(unanswered, form);
    calls.forEach((path, id) => void open.set(id, path));
  }
  const [last] = open.values();
  return last === undefined ? null : loneCall(last, form);
}

function loneResult(param: string, { call, isLoose }: ConversationForm): Mistake {
  const where = isLoose ? "before it" : "right before it";
  const message = `'${param}' is a tool's result, and no call ${where} has its id. Send ${call} too, or leave the result out.`;
  return { param, message };
}

function loneCall(param: string, { result }: ConversationForm): Mistake {
  const message = `'${param}' is a call without a result. Send what came of it as ${result}, or leave the call out.`;
  return { param, message };
}
