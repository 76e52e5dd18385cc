// The items of a Responses input, read in their order as chat messages: one message for each turn of the assistant.

import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString, type JsonObject, omitUndefined } from "../../core/json/json.ts";
import { missingParameter } from "../../core/json/schema-fault.ts";
import type { Sealer } from "../../core/world/world.ts";
import type {
  ChatMessage,
  Content,
  ContentPart,
  ReasoningDetail,
  ToolCall,
} from "../../operations/chat/form.ts";
import { TurnBuilder } from "../../operations/chat/turn.ts";
import { replaceEmptied } from "../emptied.ts";
import { placeAt } from "../places.ts";
import { isOurSignature, openSignature, RESPONSES_FORMAT } from "../signature.ts";
import { countUnread } from "../unread.ts";
import { isKnownPart } from "./known.ts";
import { refersToItem } from "./lane.ts";
import type { ReadPlaces, Unread } from "./read-places.ts";
import { readSearchItem } from "./searches.ts";
import { listAddedNames, type ToolNames } from "./tools.ts";

/** Separates a turn's messages when they are joined. */
const GAP = "\n\n";

function lose(value: unknown, path: string, unread: Unread): void {
  unread.lost.push(path);
  unread.unreadBytes += countUnread(value);
}

/** The messages of a list of items, for a list that goes on from it. */
export interface ReadItems {
  readonly messages: readonly ChatMessage[];
  readonly lost: readonly string[];
  readonly places: ReadPlaces;
}

export class ItemReader {
  readonly #names: ToolNames;
  readonly #seal: Sealer;
  readonly #unread: Unread;
  readonly #messages: ChatMessage[] = [];
  /** Those that stand behind the open turn. */
  readonly #changes: ChatMessage[] = [];
  readonly #places: ReadPlaces | null;
  #turn: TurnBuilder | null = null;

  /** Without places, nothing goes on from what is read. */
  constructor(names: ToolNames, seal: Sealer, unread: Unread, places: ReadPlaces | null) {
    this.#names = names;
    this.#seal = seal;
    this.#unread = unread;
    this.#places = places;
  }

  /** Takes what was read of a list's first items. Returns how many it needn't read again: none if a tool's name has changed. */
  resume({ messages, lost, places }: ReadItems, shared: number): number {
    const pause = this.#places?.resume(places, shared, this.#names) ?? null;
    if (pause === null) return 0;
    for (const one of messages.slice(0, pause.messages)) this.#messages.push(one);
    for (const one of lost.slice(0, pause.lost)) this.#unread.lost.push(one);
    this.#unread.unreadBytes += pause.unreadBytes;
    return pause.items;
  }

  read(item: JsonObject, index: number): void {
    const path = `input[${index}]`;
    switch (classify(item)) {
      case "assistant":
        addMessageText(this.#open(), item, path, this.#unread);
        break;
      case "call":
        this.#open().call(this.#readCall(item, path));
        break;
      case "reasoning":
        addReasoning(this.#open(), item, this.#seal);
        break;
      case "message":
        this.#flush();
        this.#messages.push(readMessage(item, path, this.#unread));
        this.#pause(index + 1);
        break;
      case "result":
        this.#flush();
        this.#messages.push(readResult(item, path, this.#unread));
        this.#pause(index + 1);
        break;
      case "search":
        this.#open().say({ type: "text", text: readSearchItem(item) ?? "" });
        break;
      case "tools":
        this.#change(item);
        break;
      case "elsewhere":
        break;
      case "other":
        lose(item, path, this.#unread);
        break;
    }
  }

  /** Returns the messages of all that was read. */
  end(): readonly ChatMessage[] {
    this.#flush();
    return this.#messages;
  }

  #flush(): void {
    if (this.#turn?.saysAnything) this.#messages.push(this.#turn.message());
    this.#turn = null;
    this.#messages.push(...this.#changes.splice(0));
  }

  /** Behind a turn of the assistant's that goes on after the item, its tools are added. */
  #change(item: JsonObject): void {
    const list = listAddedNames(item.tools, (name, namespace) => this.#flatten(name, namespace));
    if (list.length === 0) return;
    const changes = list.map((name) => ({ type: "added" as const, name }));
    this.#changes.push({ role: "developer", content: "", tool_changes: changes });
    if (this.#turn === null) this.#flush();
  }

  #flatten(name: string, namespace: string | undefined): string {
    return this.#places
      ? this.#places.flatten(this.#names, name, namespace)
      : this.#names.flatten(name, namespace);
  }

  #open(): TurnBuilder {
    this.#turn ??= new TurnBuilder(GAP);
    return this.#turn;
  }

  #pause(items: number): void {
    const { lost, unreadBytes } = this.#unread;
    this.#places?.pause({ items, messages: this.#messages.length, lost: lost.length, unreadBytes });
  }

  #readCall(item: JsonObject, path: string): ToolCall {
    const id = requireText(item, "call_id", path);
    const own = requireText(item, "name", path);
    const name = this.#flatten(own, asString(item.namespace));
    if (item.type === "custom_tool_call") {
      return { id, type: "custom", custom: { name, input: asString(item.input) ?? "" } };
    }
    return { id, type: "function", function: { name, arguments: asString(item.arguments) ?? "{}" } };
  }
}

function readResult(item: JsonObject, path: string, unread: Unread): ChatMessage {
  return {
    role: "tool",
    tool_call_id: requireText(item, "call_id", path),
    content: readContent(item.output, `${path}.output`, unread),
  };
}

type ItemKind =
  | ("assistant" | "call" | "reasoning" | "message" | "result")
  | ("search" | "tools" | "elsewhere" | "other");

/** Items other than messages. */
const KINDS: ReadonlyMap<unknown, ItemKind> = new Map([
  ["function_call", "call"],
  ["custom_tool_call", "call"],
  ["function_call_output", "result"],
  ["custom_tool_call_output", "result"],
  ["reasoning", "reasoning"],
  ["additional_tools", "tools"],
  ["tool_search_output", "tools"],
]);

function classify(item: JsonObject): ItemKind {
  const { type, role } = item;
  if (refersToItem(item)) return "elsewhere";
  if (type === undefined || type === "message") return role === "assistant" ? "assistant" : "message";
  return KINDS.get(type) ?? (readSearchItem(item) === null ? "other" : "search");
}

export function readMessage(item: JsonObject, path: string, unread: Unread): ChatMessage {
  if (item.role === undefined) throw missingParameter(`${path}.role`);
  const lostBefore = unread.lost.length;
  const content = readContent(item.content, `${path}.content`, unread);
  const role = ROLES.find((one) => one === item.role);
  const isEmptied = content.length === 0 && unread.lost.length > lostBefore;
  if (role === "user" && isEmptied) return replaceEmptied(`${path}.content`);
  if (role !== undefined) return { role, content };
  const message = `Invalid value for '${path}.role'. Supported values are: 'user', 'assistant', 'system', 'developer'.`;
  throw new Fault("invalid_value", message, { param: `${path}.role` });
}

/** Turns of the assistant are read separately. */
const ROLES = ["system", "developer", "user"] as const;

function readContent(content: unknown, path: string, unread: Unread): Content {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw missingParameter(path);
  return content.flatMap((part, index) => {
    const place = `${path}[${index}]`;
    return placeAt(place, readPart(asObject(part), place, unread));
  });
}

function readPart(part: JsonObject, path: string, unread: Unread): readonly ContentPart[] {
  const mark = omitUndefined({ prompt_cache_breakpoint: part.prompt_cache_breakpoint });
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return [{ type: "text", text: requireText(part, "text", path), ...mark }];
    case "refusal":
      return [{ type: "text", text: asString(part.refusal) ?? "" }];
    case "input_image": {
      const url = asString(part.image_url);
      if (url === undefined) throw missingParameter(`${path}.image_url`);
      const image = omitUndefined({ url, detail: asString(part.detail) });
      return [{ type: "image_url", image_url: image, ...mark }];
    }
    case "input_file":
      return [readFile(part, path)];
    case "input_audio": {
      const { data, format } = asObject(part.input_audio);
      const audio = { data: asString(data) ?? "", format: asString(format) ?? "" };
      return [{ type: "input_audio", input_audio: audio }];
    }
    default: {
      if (typeof part.type === "string" && !isKnownPart(part.type)) {
        lose(part, path, unread);
        return [];
      }
      const message = `Invalid value for '${path}.type'. Supported values are: 'input_text', 'input_image', 'input_file'.`;
      throw new Fault("invalid_value", message, { param: `${path}.type` });
    }
  }
}

function readFile(part: JsonObject, path: string): ContentPart {
  const data = asString(part.file_data) ?? asString(part.file_url);
  if (data === undefined) throw missingParameter(`${path}.file_data`);
  return { type: "file", file: omitUndefined({ file_data: data, filename: asString(part.filename) }) };
}

function addMessageText(turn: TurnBuilder, { content }: JsonObject, path: string, unread: Unread): void {
  if (typeof content === "string") turn.say({ type: "text", text: content });
  const texts: string[] = [];
  for (const [index, one] of asArray(content).entries()) {
    const { type, text, refusal } = asObject(one);
    if (type === "refusal") turn.refuse(asString(refusal) ?? "");
    else if (typeof text === "string") texts.push(text);
    else lose(one, `${path}.content[${index}]`, unread);
  }
  if (texts.length > 0) turn.say({ type: "text", text: texts.join("") });
}

/** Opens our own signatures. Any other encrypted thinking is OpenAI's. */
function addReasoning(turn: TurnBuilder, item: JsonObject, seal: Sealer): void {
  const read = (list: unknown) => asArray(list).map((one) => asString(asObject(one).text) ?? "");
  const summary = read(item.summary);
  const raw = read(item.content);
  const text = (raw.length > 0 ? raw : summary).join(GAP);
  const sealed = asString(item.encrypted_content) ?? "";
  if (isOurSignature(sealed)) {
    turn.think(text, openSignature(seal, text, sealed) ?? []);
    return;
  }
  const about = omitUndefined({ format: RESPONSES_FORMAT, id: asString(item.id) });
  const details = summary.map(
    (one): ReasoningDetail => ({ type: "reasoning.summary", summary: one, ...about }),
  );
  if (sealed !== "") details.push({ type: "reasoning.encrypted", data: sealed, ...about });
  turn.think(text, details);
}

function requireText(holder: JsonObject, field: string, path: string): string {
  const text = asString(holder[field]);
  if (text === undefined) throw missingParameter(`${path}.${field}`);
  return text;
}
