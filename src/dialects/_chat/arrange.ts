// The turns of a conversation for a server whose chat template refuses some orders of roles: system messages that come
// late, several of them, two turns of the same role in a row, or a user's turn right behind the results of calls.
import type { ModelCard } from "../../core/models/card.ts";
import { listRows, type OrderWord } from "../../core/models/refusal-rules.ts";
import type { Refusal } from "../../core/models/refusals.ts";
import type {
  ChatMessage,
  ChatRequest,
  Content,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "../../operations/chat/form.ts";
import { joinText, SYSTEM_GAP } from "../../operations/chat/prompt/content-text.ts";
import { escapeNoteMark, writeNote } from "../../operations/chat/prompt/note.ts";
import { NONE } from "../../operations/form.ts";
import { mapList } from "../../operations/text-json.ts";
import { joinContents, joinRoles, TURN_GAP } from "./join-roles.ts";
import { flattenToolResults } from "./tool-results.ts";
import { countLeading, isSystem } from "./turns.ts";

/** Named if a user's text or a tool's result had to be changed. */
const ESCAPED = ["messages.content"];

/** opencode and pi say as much there for Mistral's models (opencode, pull request 7490). */
const TAKEN: ChatMessage = { role: "assistant", content: "OK." };

type Order = (messages: readonly ChatMessage[], refuses: ReadonlySet<Refusal>) => readonly ChatMessage[];

/** Each leaves alone what the ones before it have mended. Texts made of system messages may be joined with others. */
const ORDERS: Readonly<Record<OrderWord, Order>> = {
  system: placeSystem,
  system_late: placeSystem,
  system_several: placeSystem,
  same_role_twice: joinRoles,
  user_after_tool: answerResults,
};
const ORDER_ROWS = listRows(ORDERS);

interface Arrangement {
  readonly messages: readonly ChatMessage[];
  readonly dropped: readonly string[];
}

/** Returns the messages in an order that the server takes. The same list if it takes them as they are. */
export function arrangeTurns(messages: readonly ChatMessage[], refuses: ReadonlySet<Refusal>): Arrangement {
  const escaped = hasNotes(refuses) ? mapList(messages, escapeMark) : messages;
  return { messages: orderTurns(escaped, refuses), dropped: escaped === messages ? NONE : ESCAPED };
}

/** True if the server's refusal can be answered with the same request in another order. */
export function isArrangeable(
  request: ChatRequest,
  _card: ModelCard,
  refuses: ReadonlySet<Refusal>,
): boolean {
  const messages = flattenToolResults(request.messages);
  return orderTurns(messages, refuses) !== messages;
}

function orderTurns(messages: readonly ChatMessage[], refuses: ReadonlySet<Refusal>): readonly ChatMessage[] {
  let ordered = messages;
  for (const [word, order] of ORDER_ROWS) if (refuses.has(word)) ordered = order(ordered, refuses);
  return ordered;
}

/**
 * Puts a short answer between the results of calls and a turn that isn't the assistant's. In the results the user's words
 * would be a tool's, and pictures have no place there.
 */
function answerResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const isUnanswered = ({ role }: ChatMessage, at: number) =>
    role !== "assistant" && role !== "tool" && messages[at - 1]?.role === "tool";
  if (!messages.some(isUnanswered)) return messages;
  return messages.flatMap((message, at) => (isUnanswered(message, at) ? [TAKEN, message] : [message]));
}

function hasNotes(refuses: ReadonlySet<Refusal>): boolean {
  return refuses.has("system") || refuses.has("system_late") || refuses.has("system_several");
}

/**
 * Makes the leading system messages one. A later one keeps its place, as a marked text of the user's: at the front it
 * would change every cached prefix.
 */
function placeSystem(
  messages: readonly ChatMessage[],
  refuses: ReadonlySet<Refusal>,
): readonly ChatMessage[] {
  if (refuses.has("system")) return messages.some(isSystem) ? placeNotes(messages) : messages;
  const leading = countLeading(messages);
  const rest = messages.slice(leading);
  const late = rest.findIndex(isSystem);
  if (leading < 2 && late === -1) return messages;
  const [first] = messages.slice(0, leading).filter(isSystem);
  if (first !== undefined) return [joinSystem(first, messages.slice(0, leading)), ...placeNotes(rest)];
  // The only system message of all may stand where it is, unless its place is the reason.
  if (refuses.has("system_late")) return placeNotes(rest);
  const others = rest.slice(late + 1);
  return others.some(isSystem) ? [...rest.slice(0, late + 1), ...placeNotes(others)] : messages;
}

function joinSystem(first: SystemMessage, leading: readonly ChatMessage[]): SystemMessage {
  if (leading.length === 1) return first;
  const texts = leading.map(({ content }) => joinText(content, SYSTEM_GAP));
  return { ...first, content: texts.filter((text) => text !== "").join(SYSTEM_GAP) };
}

/** A note stands in the user's turn right after it, or in one of its own. The results of calls stay behind their calls. */
function placeNotes(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const placed: ChatMessage[] = [];
  let notes: string[] = [];
  const flush = () => {
    if (notes.length > 0) placed.push({ role: "user", content: notes.join(TURN_GAP) });
    notes = [];
  };
  for (const message of messages) {
    if (isSystem(message)) {
      const text = joinText(message.content, SYSTEM_GAP);
      if (text !== "") notes.push(writeNote(text));
    } else if (message.role === "user" && notes.length > 0) {
      placed.push({ ...message, content: joinContents([notes.join(TURN_GAP), message.content]) });
      notes = [];
    } else {
      if (message.role === "assistant") flush();
      placed.push(message);
    }
  }
  flush();
  return placed;
}

/** Keeps anybody but the client's system messages from writing the mark. */
function escapeMark(message: ChatMessage): ChatMessage {
  if (message.role !== "user" && message.role !== "tool") return message;
  const content = escapeContent(message.content);
  return content === message.content ? message : withContent(message, content);
}

function withContent(message: UserMessage | ToolMessage, content: Content): ChatMessage {
  return message.role === "user" ? { ...message, content } : { ...message, content };
}

function escapeContent(content: Content): Content {
  if (typeof content === "string") return escapeNoteMark(content);
  return mapList(content, (part) => {
    if (part.type !== "text") return part;
    const text = escapeNoteMark(part.text);
    return text === part.text ? part : { ...part, text };
  });
}
