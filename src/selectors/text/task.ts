// The task of a request: its latest turn that asks for something, without what agents wrap around it.
import type { ChatMessage, Content } from "../../operations/chat/form.ts";
import { phrases } from "./go-on.data.json";

/** Longer turns are tasks. */
const GO_ON_CHARS_MAX = 60;
/** A conversation is searched back for this many turns. */
const TURNS_SEARCHED_MAX = 20;
/** Tags of what agents put before or after the words of a person. */
const WRAPPERS = [
  "system-reminder",
  "environment_context",
  "environment_details",
  "user_instructions",
  "ide_opened_file",
  "ide_selection",
  "local-command-stdout",
].map((name) => [`<${name}>`, `</${name}>`] as const);
const WRAPPERS_MAX = 16;
const MARK = /[\s\p{P}\p{S}\p{M}]/u;
const PHRASES: ReadonlySet<string> = new Set(phrases);
const PHRASE_CHARS_MAX = Math.max(...phrases.map(({ length }) => length));

interface Task {
  /** Its place among the messages. −1 if no user speaks. */
  readonly at: number;
  /** The texts of its turn, without what an agent added. */
  readonly texts: readonly string[];
}

/** Finds the latest turn with a task. If there is none, the last turn is taken. Bounded work. */
export function findTask(messages: readonly ChatMessage[]): Task {
  let last: Task | null = null;
  for (let at = messages.length - 1, turns = 0; at >= 0 && turns < TURNS_SEARCHED_MAX; at--) {
    const message = messages[at];
    if (message?.role !== "user") continue;
    turns++;
    const task = { at, texts: readTexts(message.content).map(unwrap) };
    last ??= task;
    if (hasImage(message.content) || !goesOn(task.texts)) return task;
  }
  return last ?? { at: -1, texts: [] };
}

/** True if the newest message is a tool's result, for which the model that made the call waits. */
export function isInToolLoop(messages: readonly ChatMessage[]): boolean {
  return messages.at(-1)?.role === "tool";
}

function hasImage(content: Content): boolean {
  return typeof content !== "string" && content.some(({ type }) => type !== "text");
}

export function readTexts(content: Content | null | undefined): readonly string[] {
  if (typeof content === "string") return [content];
  return (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** Returns the text without the wrappings that it begins and ends with. Linear. */
function unwrap(text: string): string {
  let bare = text;
  for (let round = 0; round < WRAPPERS_MAX; round++) {
    const next = unwrapOnce(bare);
    if (next === bare) break;
    bare = next;
  }
  return bare;
}

function unwrapOnce(text: string): string {
  const whole = text.trim();
  if (!whole.startsWith("<") && !whole.endsWith(">")) return text;
  for (const [open, close] of WRAPPERS) {
    if (whole.startsWith(open)) {
      const end = whole.indexOf(close);
      if (end >= 0) return whole.slice(end + close.length);
    }
    if (whole.endsWith(close)) {
      const start = whole.lastIndexOf(open);
      if (start >= 0) return whole.slice(0, start);
    }
  }
  return text;
}

/** True if the turn is made of phrases that ask for nothing new, or of nothing. */
function goesOn(texts: readonly string[]): boolean {
  let chars = 0;
  for (const { length } of texts) chars += length;
  if (chars > GO_ON_CHARS_MAX) return texts.every((text) => text.trim() === "");
  const text = texts.join(" ").trim().toLowerCase();
  for (let at = 0; at < text.length; ) {
    const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (MARK.test(sign)) at += sign.length;
    else {
      const size = matchPhrase(text, at);
      if (size === 0) return false;
      at += size;
    }
  }
  return true;
}

/** Returns the length of the longest phrase at a place. In scripts with spaces it ends where a word does. */
function matchPhrase(text: string, at: number): number {
  for (let size = Math.min(PHRASE_CHARS_MAX, text.length - at); size > 0; size--) {
    const next = text[at + size];
    const isWhole = next === undefined || MARK.test(next) || text.charCodeAt(at) >= 0x2e80;
    if (isWhole && PHRASES.has(text.slice(at, at + size))) return size;
  }
  return 0;
}
