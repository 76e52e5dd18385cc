// A streamed answer as a strict client reads it: splits events, checks the grammar of chunks, and folds the answer.
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../../../src/core/json/json.ts";

export interface Transcript {
  readonly chunks: readonly JsonObject[];
  /** One for each choice, in the order of their indexes. */
  readonly texts: readonly string[];
  readonly reasoning: string;
  readonly finishes: readonly string[];
  /** The usage in the chunk without choices. Null if there was none. */
  readonly usage: JsonObject | null;
  /** The object in `data: {"error":…}`. Null if the stream ended with `data: [DONE]`. */
  readonly error: JsonObject | null;
  readonly keepAlives: number;
  readonly model: string;
  readonly id: string;
}

interface ChoiceSeen {
  text: string;
  finish: string | null;
}

/** Parses the body of a finished event stream. Throws if it breaks a rule, such as one end with nothing after it. */
export function parseTranscript(body: string): Transcript {
  if (body !== "" && !body.endsWith("\n\n"))
    throw new Error(`the last event is cut off: ${body.slice(-200)}`);
  const blocks = body.split("\n\n").slice(0, -1);
  const keepAlives = blocks.filter((block) => block === ": keep-alive").length;
  const events = blocks.filter((block) => block !== ": keep-alive").map(dataOf);
  const last = events.pop();
  if (last === undefined) throw new Error("the stream has no event");
  const chunks = events.map(chunkOf);
  const error = last === "[DONE]" ? null : errorOf(last);
  return { ...folded(chunks, error === null), chunks, error, keepAlives };
}

function dataOf(block: string): string {
  if (block.startsWith("data: ") && !block.includes("\n")) return block.slice("data: ".length);
  throw new Error(`not an event of one data line: ${block.slice(0, 200)}`);
}

function errorOf(data: string): JsonObject {
  const { error, ...rest } = asObject(parseJson(data));
  if (isObject(error) && Object.keys(rest).length === 0) return error;
  throw new Error(`the stream does not end with [DONE] or an error: ${data.slice(0, 200)}`);
}

function chunkOf(data: string): JsonObject {
  const chunk = parseJson(data);
  if (isObject(chunk) && chunk.object === "chat.completion.chunk" && Array.isArray(chunk.choices))
    return chunk;
  throw new Error(`not a chunk: ${data.slice(0, 200)}`);
}

function folded(
  chunks: readonly JsonObject[],
  whole: boolean,
): Omit<Transcript, "chunks" | "error" | "keepAlives"> {
  const choices = new Map<number, ChoiceSeen>();
  const first = chunks[0] ?? {};
  let reasoning = "";
  let usage: JsonObject | null = null;
  for (const chunk of chunks) {
    for (const field of ["id", "created", "model"]) {
      if (chunk[field] === undefined || chunk[field] !== first[field]) throw new Error(`'${field}' changes`);
    }
    if (usage) throw new Error("a chunk follows the usage");
    const given = asArray(chunk.choices);
    if (given.length === 0) usage = asObject(chunk.usage);
    else if (chunk.usage) throw new Error("usage beside choices");
    for (const choice of given) reasoning += takeChoice(choices, asObject(choice));
  }
  const seen = [...choices].sort(([a], [b]) => a - b).map(([, choice]) => choice);
  if (whole && seen.some(({ finish }) => finish === null)) throw new Error("a choice has no finish reason");
  return {
    texts: seen.map(({ text }) => text),
    finishes: seen.map(({ finish }) => finish ?? "none"),
    reasoning,
    usage,
    model: asString(first.model) ?? "",
    id: asString(first.id) ?? "",
  };
}

/** Adds a delta to its choice. Returns the reasoning in it. */
function takeChoice(choices: Map<number, ChoiceSeen>, choice: JsonObject): string {
  const index = Number(choice.index);
  const delta = asObject(choice.delta);
  const known = choices.get(index);
  if ((delta.role === "assistant") !== (known === undefined))
    throw new Error("the role is not first and once");
  const seen = known ?? { text: "", finish: null };
  if (seen.finish !== null) throw new Error("a delta follows the finish reason");
  choices.set(index, seen);
  seen.text += asString(delta.content) ?? "";
  seen.finish = asString(choice.finish_reason) ?? null;
  return asString(delta.reasoning_content) ?? "";
}
