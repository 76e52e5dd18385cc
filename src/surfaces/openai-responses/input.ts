// The items of a Responses input as chat messages, one message for each turn of the assistant.

import { Fault } from "../../core/fault.ts";
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
import type { FamilyNeed } from "../../operations/operation.ts";
import { findEmptied, replaceEmptied } from "../emptied.ts";
import { placeAt } from "../places.ts";
import { isOurSignature, openSignature, RESPONSES_FORMAT } from "../signature.ts";
import { countUnread } from "../unread.ts";
import { isSummary } from "./compaction/summary.ts";
import { isKnownPart } from "./known.ts";
import { refersToItem } from "./lane.ts";
import { readSearchItem } from "./searches.ts";
import type { ToolNames } from "./tools.ts";

/** Separates a turn's messages when they are joined. */
const GAP = "\n\n";

/** The part of an input that only a provider of the family reads. */
interface Unread {
  /** The places of items and parts. */
  readonly lost: string[];
  unreadBytes: number;
}

interface ReadInput extends Readonly<Pick<Unread, "lost" | "unreadBytes">> {
  readonly messages: readonly ChatMessage[];
  /** Set if something that matters can't be translated. */
  readonly nativeOnly: FamilyNeed | undefined;
}

function lose(given: unknown, path: string, unread: Unread): void {
  unread.lost.push(path);
  unread.unreadBytes += countUnread(given);
}

export function readInput(body: JsonObject, names: ToolNames, seal: Sealer): ReadInput {
  const unread: Unread = { lost: [], unreadBytes: 0 };
  const items =
    typeof body.input === "string" ? [{ role: "user", content: body.input }] : asArray(body.input);
  const messages = [
    ...readInstructions(body.instructions, unread),
    ...readItems(items.map(asObject), names, seal, unread),
  ];
  const { lost, unreadBytes } = unread;
  const isUnasked = messages.every(({ role }) => role === "system" || role === "developer");
  const last = isUnasked ? lost.at(-1) : undefined;
  const asked = last === undefined ? findEmptied(messages) : ({ path: last, what: "asked" } as const);
  const nativeOnly = findSealed(items) ?? asked;
  if (items.some(hasAnnotations)) lost.push("annotations");
  return { messages, lost, unreadBytes, nativeOnly };
}

/** Finds the first provider's summary. Only its maker reads it, and without it the conversation before it would be lost. */
function findSealed(items: readonly unknown[]): FamilyNeed | undefined {
  const at = items.findIndex(isSummary);
  return at === -1 ? undefined : { path: `input[${at}]`, what: "history" };
}

function readItems(
  items: readonly JsonObject[],
  names: ToolNames,
  seal: Sealer,
  unread: Unread,
): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  let turn: TurnBuilder | null = null;
  const flush = () => {
    if (turn?.saysAnything) messages.push(turn.message());
    turn = null;
  };
  const open = (): TurnBuilder => {
    turn ??= new TurnBuilder(GAP);
    return turn;
  };
  for (const [index, item] of items.entries()) {
    const path = `input[${index}]`;
    switch (classify(item)) {
      case "assistant":
        addMessageText(open(), item, path, unread);
        break;
      case "call":
        open().call(readCall(item, names, path));
        break;
      case "reasoning":
        addReasoning(open(), item, seal);
        break;
      case "message":
        flush();
        messages.push(readMessage(item, path, unread));
        break;
      case "result":
        flush();
        messages.push(readResult(item, path, unread));
        break;
      case "search":
        open().say({ type: "text", text: readSearchItem(item) ?? "" });
        break;
      case "elsewhere":
        break;
      case "other":
        lose(item, path, unread);
        break;
    }
  }
  flush();
  return messages;
}

function readResult(item: JsonObject, path: string, unread: Unread): ChatMessage {
  return {
    role: "tool",
    tool_call_id: requireText(item, "call_id", path),
    content: readContent(item.output, `${path}.output`, unread),
  };
}

function hasAnnotations(item: unknown): boolean {
  return asArray(asObject(item).content).some((part) => asArray(asObject(part).annotations).length > 0);
}

type Kind = "assistant" | "call" | "reasoning" | "message" | "result" | "search" | "elsewhere" | "other";

/** Items other than messages. */
const KINDS: ReadonlyMap<unknown, Kind> = new Map([
  ["function_call", "call"],
  ["custom_tool_call", "call"],
  ["function_call_output", "result"],
  ["custom_tool_call_output", "result"],
  ["reasoning", "reasoning"],
  ["additional_tools", "elsewhere"],
]);

function classify(item: JsonObject): Kind {
  const { type, role } = item;
  if (refersToItem(item)) return "elsewhere";
  if (type === undefined || type === "message") return role === "assistant" ? "assistant" : "message";
  return KINDS.get(type) ?? (readSearchItem(item) === null ? "other" : "search");
}

function readInstructions(instructions: unknown, unread: Unread): readonly ChatMessage[] {
  if (typeof instructions === "string" && instructions !== "")
    return [{ role: "system", content: instructions }];
  return asArray(instructions).map((item, index) =>
    readMessage(asObject(item), `instructions[${index}]`, unread),
  );
}

function readMessage(item: JsonObject, path: string, unread: Unread): ChatMessage {
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

function readCall(item: JsonObject, names: ToolNames, path: string): ToolCall {
  const id = requireText(item, "call_id", path);
  const name = names.flatten(requireText(item, "name", path), asString(item.namespace));
  if (item.type === "custom_tool_call") {
    return { id, type: "custom", custom: { name, input: asString(item.input) ?? "" } };
  }
  return { id, type: "function", function: { name, arguments: asString(item.arguments) ?? "{}" } };
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
