// Digests of a prompt, by which the next turn of its conversation is known: no two prompts that differ in a byte have one.

import { isObject, type JsonObject } from "../../../core/json/json.ts";
import type { RawRequest } from "../../../core/models/dialect.ts";
import type { Hasher, PromptDigests } from "../../../core/models/prompt-digests.ts";
import { estimatePromptTokens, estimateRepeatedTokens } from "../estimate.ts";
import type { ChatMessage, ChatRequest } from "../form.ts";
import { NOT_READ } from "../sizes.ts";

/** The lists that hold a conversation, in all wire formats. */
const LISTS = ["messages", "input", "contents"] as const;
/** Names by which clients tell their conversations and people apart. */
const NAMES: ReadonlySet<string> = new Set(["prompt_cache_key", "safety_identifier"]);
/** A turn adds an answer and what follows it. In the Responses API, each call and each result is an entry. */
const ENTRIES_ADDED_MAX = 32;
/** Shorter texts are hashed together: each call of the hash takes as long as a hundred bytes. */
const TEXT_CHARACTERS_MIN = 1024;
const PENDING_CHARACTERS_MAX = 16_384;

/**
 * Digests the request in the client's own wire format, since only that has every text that a provider may read. Linear in
 * its length.
 */
export function digestPrompt(
  ask: ChatRequest,
  raw: RawRequest | null,
  makeHasher: () => Hasher,
): PromptDigests {
  const body: JsonObject = raw?.body ?? ask;
  const writer = new DigestWriter(makeHasher());
  const list = LISTS.find((name) => Array.isArray(body[name]));
  for (const [name, value] of Object.entries(body)) {
    if (name !== list && isRead(name, value)) writer.addField(name, value);
  }
  const entries = list === undefined ? [] : asList(body[list]);
  const beginnings: string[] = [];
  for (const [at, entry] of entries.entries()) {
    writer.add(entry);
    if (entries.length - at <= ENTRIES_ADDED_MAX) beginnings.unshift(writer.digest());
  }
  const whole = writer.digest();
  if (beginnings.length === 0) beginnings.push(whole);
  return {
    whole,
    beginnings,
    tokens: estimatePromptTokens(ask),
    measureWorst: (card) => estimateRepeatedTokens(ask, card),
    shared: digestShared(ask, makeHasher),
  };
}

/** The parts that it counts are those that it digests, so no more counts as the same than is. */
function digestShared(ask: ChatRequest, makeHasher: () => Hasher): PromptDigests["shared"] {
  const { messages, tools = [] } = ask;
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const instructions: readonly ChatMessage[] = first === -1 ? messages : messages.slice(0, first);
  if (instructions.length === 0 && tools.length === 0) return null;
  const writer = new DigestWriter(makeHasher());
  writer.add(instructions);
  writer.add(tools);
  return {
    digest: writer.digest(),
    tokens: estimatePromptTokens({
      model: "",
      messages: instructions,
      ...(tools.length > 0 ? { tools } : {}),
    }),
  };
}

/** Numbers, settings and names aren't part of a prompt. */
function isRead(name: string, value: unknown): boolean {
  const holdsText = typeof value === "string" || (typeof value === "object" && value !== null);
  return holdsText && !NOT_READ.has(name) && !NAMES.has(name);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Hashes values so that different ones never look alike: texts and lists are preceded by their length. */
class DigestWriter {
  readonly #hasher: Hasher;
  #pending = "";

  constructor(hasher: Hasher) {
    this.#hasher = hasher;
  }

  /** Returns the digest of what was added so far. */
  digest(): string {
    this.#flush();
    return this.#hasher.copy().digest("base64");
  }

  add(value: unknown): void {
    if (typeof value === "string") this.#addText(value);
    else if (Array.isArray(value)) this.#addList(value);
    else if (isObject(value)) this.#addObject(value);
    else this.#put(`${typeof value} ${value};`);
  }

  addField(name: string, value: unknown): void {
    if (value === undefined || isCacheMark(name, value)) return;
    this.#addText(name);
    this.add(value);
  }

  /** A text is sent as it is or as the only part of a list, depending on where the client's cache marks stand. */
  #addList(list: readonly unknown[]): void {
    const text = list.length === 1 ? readPlainText(list[0]) : null;
    if (text !== null) {
      this.#addText(text);
      return;
    }
    this.#put(`[${list.length}`);
    for (const one of list) this.add(one);
  }

  #addObject(object: JsonObject): void {
    this.#put("{");
    for (const name in object) this.addField(name, object[name]);
    this.#put("}");
  }

  #addText(given: string): void {
    // A hash reads all halves of broken pairs alike.
    const text = given.isWellFormed() ? given : JSON.stringify(given);
    this.#put(`"${given.length} ${text.length} `);
    if (text.length < TEXT_CHARACTERS_MIN) {
      this.#put(text);
      return;
    }
    this.#flush();
    this.#hasher.update(text);
  }

  #put(text: string): void {
    this.#pending += text;
    if (this.#pending.length > PENDING_CHARACTERS_MAX) this.#flush();
  }

  #flush(): void {
    if (this.#pending !== "") this.#hasher.update(this.#pending);
    this.#pending = "";
  }
}

/** Returns the text of a part that has nothing else but a cache mark, or null. */
function readPlainText(part: unknown): string | null {
  if (!isObject(part) || part.type !== "text" || typeof part.text !== "string") return null;
  const { type: _type, text, ...others } = part;
  return Object.entries(others).every(([name, value]) => isCacheMark(name, value)) ? part.text : null;
}

/** Marks move on with each turn. Only those without a text of the client's are left out, since no other is known to be one. */
function isCacheMark(name: string, value: unknown): boolean {
  if (name !== "cache_control" || !isObject(value) || value.type !== "ephemeral") return false;
  const { type: _type, ttl, ...others } = value;
  return Object.keys(others).length === 0 && (ttl === undefined || ttl === "5m" || ttl === "1h");
}
