// The messages of a request in Mistral's form: four roles in an accepted order, its own parts, rewritten call ids.

import { asString, type JsonObject } from "../../core/json.ts";
import {
  type AssistantMessage,
  type ChatMessage,
  type ContentPart,
  type FilePart,
  joinText,
  type ToolMessage,
} from "../../operations/chat/form.ts";
import { flattenToolResults } from "../_chat/tool-results.ts";
import { toFunctionCall } from "../_chat/tools.ts";

/**
 * Makes the messages (Mistral API reference, "Chat"). `thinks` is true if the model accepts thinking, as parts of the
 * content. A last assistant message is a prefix to continue. System messages inside the conversation are refused, so
 * they are sent as the user's.
 */
export function makeMistralMessages(messages: readonly ChatMessage[], thinks: boolean): JsonObject[] {
  const ids = new MistralIds();
  const names = new Map<string, string>();
  const outgoing: JsonObject[] = [];
  for (const message of flattenToolResults(messages)) {
    const made = makeMessage(message, ids, names, thinks, outgoing.at(-1)?.role);
    if (made !== null) outgoing.push(made);
  }
  const last = outgoing.at(-1);
  // The last turn must be a user's or a tool's, so a system prompt alone is sent as a user message.
  if (last?.role === "system") last.role = "user";
  if (last?.role === "assistant" && last.tool_calls === undefined) last.prefix = true;
  return outgoing;
}

function makeMessage(
  message: ChatMessage,
  ids: MistralIds,
  names: Map<string, string>,
  thinks: boolean,
  previous: unknown,
): JsonObject | null {
  switch (message.role) {
    case "system":
    case "developer": {
      const isLate = previous === "assistant" || previous === "tool";
      return { role: isLate ? "user" : "system", content: joinText(message.content) };
    }
    case "user":
      return { role: "user", content: makeContent(message.content) };
    case "assistant":
      return makeAssistant(message, ids, names, thinks);
    case "tool":
      return makeToolMessage(message, ids, names);
  }
}

/** Returns null for an empty message, which Mistral refuses. */
function makeAssistant(
  message: AssistantMessage,
  ids: MistralIds,
  names: Map<string, string>,
  thinks: boolean,
): JsonObject | null {
  const calls = (message.tool_calls ?? []).map((call) => {
    const plain = toFunctionCall(call, false);
    names.set(plain.id, plain.function.name);
    return { ...plain, id: ids.forCall(plain.id) };
  });
  const text = joinText(message.content) || message.refusal || "";
  if (text === "" && calls.length === 0) return null;
  const thought = thinks ? readThought(message) : "";
  const thinking = { type: "thinking", thinking: [{ type: "text", text: thought }] };
  const content = thought === "" ? text : [thinking, ...(text === "" ? [] : [{ type: "text", text }])];
  return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function readThought({ reasoning_content: text, reasoning_details: details = [] }: AssistantMessage): string {
  return text || details.map((detail) => asString(detail.text) ?? "").join("");
}

function makeToolMessage(message: ToolMessage, ids: MistralIds, names: Map<string, string>): JsonObject {
  const name = names.get(message.tool_call_id);
  return {
    role: "tool",
    tool_call_id: ids.forResult(message.tool_call_id),
    ...(name === undefined ? {} : { name }),
    content: joinText(message.content),
  };
}

function makeContent(content: string | readonly ContentPart[]): unknown {
  return typeof content === "string" ? content : content.map(makePart);
}

function makePart(part: ContentPart): JsonObject {
  switch (part.type) {
    case "image_url": {
      const { url, detail } = part.image_url;
      return { type: "image_url", image_url: detail === undefined ? { url } : { url, detail } };
    }
    case "input_audio":
      return { type: "input_audio", input_audio: part.input_audio };
    case "file":
      return makeFile(part.file);
    case "text":
    case "refusal":
      return { type: "text", text: joinText([part]) };
  }
}

/** Makes a document of a file. Its data is a data: URL or the bare base64 of a PDF. */
function makeFile(file: FilePart["file"]): JsonObject {
  const url = file.file_data.includes(":") ? file.file_data : `data:application/pdf;base64,${file.file_data}`;
  return { type: "document_url", document_url: url, document_name: file.filename };
}

/** Call ids have nine letters and digits, the same for a call and its result. */
const ACCEPTED = /^[A-Za-z0-9]{9}$/;
const ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LENGTH = 9;
const FNV_PRIME = 0x100000001b3n;
const FNV_OFFSET = 0xcbf29ce484222325n;
const MASK = 0xffffffffffffffffn;

/**
 * Rewrites the ids of one request. An id is rewritten the same way in each request, so that prompts stay cacheable. An
 * id already used by another turn (Moonshot's `name_0`) becomes a new one, and its results follow.
 */
export class MistralIds {
  readonly #current = new Map<string, string>();
  readonly #used = new Set<string>();
  /** The next turn to try for each id: starting over for each call would take 25 s for 5,000 calls with one id. */
  readonly #turns = new Map<string, number>();

  /** Returns the id for a call of the assistant. */
  forCall(id: string): string {
    let turn = this.#turns.get(id) ?? 0;
    let taken = writeId(id, turn++);
    for (; this.#used.has(taken); turn++) taken = writeId(id, turn);
    this.#turns.set(id, turn);
    this.#used.add(taken);
    this.#current.set(id, taken);
    return taken;
  }

  /** Returns the id for a result: that of the latest call with the client's id. */
  forResult(id: string): string {
    return this.#current.get(id) ?? writeId(id, 0);
  }
}

function writeId(id: string, turn: number): string {
  if (turn > 0) return hashId(`${id}/${turn}`);
  return ACCEPTED.test(id) ? id : hashId(id);
}

/** Hashing an id of 30 MB would take seconds. Its ends distinguish it: two ids with the same hash stay two. */
const HASHED_CHARACTERS_MAX = 1000;

/** FNV-1a over the characters, as nine digits in base 62. */
function hashId(id: string): string {
  const half = HASHED_CHARACTERS_MAX / 2;
  const hashed = id.length > HASHED_CHARACTERS_MAX ? id.slice(0, half) + id.slice(-half) : id;
  let hash = FNV_OFFSET;
  for (const character of hashed) {
    hash = ((hash ^ BigInt(character.codePointAt(0) ?? 0)) * FNV_PRIME) & MASK;
  }
  let text = "";
  for (let position = 0; position < LENGTH; position++) {
    text += ALPHABET[Number(hash % BigInt(ALPHABET.length))];
    hash /= BigInt(ALPHABET.length);
  }
  return text;
}
