// A conversation stays with whoever served it last: that one holds its prompt in a cache.

import type { Attempt, Cached } from "../core/attempt.ts";
import type { ChatMessage, ChatRequest } from "../operations/chat/form.ts";

const KEPT_MS = 600_000;
const KEPT_MAX = 50_000;
/** Of a long part (an image, a file), its ends tell it apart. */
const PART_CHARACTERS_MAX = 4096;
const CHARACTERS_PER_TOKEN = 4;

/** Names of one conversation: under which it may be known, and under which its next turn will look for it. */
interface Names {
  readonly sought: readonly string[];
  readonly kept: readonly string[];
  /** About, of what was said up to the model's last turn. */
  readonly heldTokens: number;
  /** The model that is likely to hold that in its cache. */
  holder: string | null;
}

interface Served {
  readonly cardId: string;
  readonly secret: string | null;
  readonly untilMs: number;
}

/** Times are on the monotonic clock. */
export class Stickiness {
  readonly #served = new Map<string, Served>();
  /** Each request's messages are read once. */
  readonly #names = new WeakMap<ChatRequest, Names>();

  /** The attempt that served this conversation of this key of late; null: none of them did. */
  find(keyId: string, request: ChatRequest, attempts: readonly Attempt[], nowMs: number): Attempt | null {
    for (const served of this.#servedBefore(this.#namesOf(keyId, request), nowMs)) {
      const same = attempts.find(
        ({ card, credential }) => card.id === served.cardId && credential.secret === served.secret,
      );
      if (same) return same;
    }
    return null;
  }

  /** The last to serve the conversation, which has read so many tokens of this prompt before; about. null: nobody is known. */
  held(keyId: string, request: ChatRequest, nowMs: number): Cached | null {
    const names = this.#namesOf(keyId, request);
    const [served] = this.#servedBefore(names, nowMs);
    names.holder = served?.cardId ?? null;
    return served ? { cardId: served.cardId, tokens: names.heldTokens } : null;
  }

  /** What `held` said of a card when the request came. */
  heldTokens(request: ChatRequest, cardId: string): number {
    const names = this.#names.get(request);
    return names?.holder === cardId ? names.heldTokens : 0;
  }

  #namesOf(keyId: string, request: ChatRequest): Names {
    const names = this.#names.get(request) ?? namesOf(keyId, request);
    this.#names.set(request, names);
    return names;
  }

  #servedBefore({ sought }: Names, nowMs: number): readonly Served[] {
    return sought.flatMap((name) => {
      const served = this.#served.get(name);
      return served && served.untilMs > nowMs ? [served] : [];
    });
  }

  /** Who serves a conversation. One that could not have gone elsewhere was not asked for, and isn't kept. */
  keep(request: ChatRequest, { card, credential }: Attempt, nowMs: number): void {
    const served = { cardId: card.id, secret: credential.secret, untilMs: nowMs + KEPT_MS };
    for (const name of this.#names.get(request)?.kept ?? []) {
      this.#served.delete(name);
      this.#served.set(name, served);
    }
    for (const [oldest, { untilMs }] of this.#served) {
      if (this.#served.size <= KEPT_MAX && untilMs > nowMs) break;
      this.#served.delete(oldest);
    }
  }
}

/**
 * By the name that the client gives it, else by what was said: the messages up to the model's last turn were the whole
 * of the request before, or are shared with another continuation of it.
 */
function namesOf(keyId: string, request: ChatRequest): Names {
  const { messages } = request;
  const lastReply = messages.findLastIndex(({ role }) => role === "assistant");
  let digest = 0n;
  let characters = 0;
  let heldCharacters = 0;
  let before: string | null = null;
  for (const [at, message] of messages.entries()) {
    if (at === lastReply) {
      before = `${keyId}#${digest}`;
      heldCharacters = characters;
    }
    const text = textOfMessage(message);
    digest = Bun.hash.wyhash(text, digest);
    characters += text.length;
  }
  const whole = `${keyId}#${digest}`;
  const held = { heldTokens: Math.round(heldCharacters / CHARACTERS_PER_TOKEN), holder: null };
  const given = textIn(request.prompt_cache_key) ?? textIn(request.user);
  if (given !== null) {
    const name = `${keyId} ${given.slice(0, 512)}`;
    return { sought: [name], kept: [name], ...held };
  }
  return before === null
    ? { sought: [], kept: [whole], ...held }
    : { sought: [before], kept: [before, whole], ...held };
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function textOfMessage({ role, content, ...rest }: ChatMessage): string {
  const calls = "tool_calls" in rest ? JSON.stringify(rest.tool_calls) : "";
  if (typeof content === "string" || !content) return `${role}\n${content ?? ""}\n${calls}`;
  return `${role}\n${content.map((part) => ends(JSON.stringify(part))).join("\n")}\n${calls}`;
}

function ends(text: string): string {
  if (text.length <= 2 * PART_CHARACTERS_MAX) return text;
  return `${text.length} ${text.slice(0, PART_CHARACTERS_MAX)}${text.slice(-PART_CHARACTERS_MAX)}`;
}
