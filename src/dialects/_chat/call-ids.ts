// The ids of calls and their results, as a provider accepts them: histories hold those of other providers.
import { ElementWork, mapGrowing } from "../../core/json/growing.ts";
import type { AssistantMessage, ChatMessage, ReasoningDetail } from "../../operations/chat/form.ts";
import { mapList } from "../../operations/text-json.ts";
import { shorten } from "./shorten.ts";

/** The call ids that a provider accepts. */
export interface CallIdRule {
  readonly accepts: RegExp;
  /** True if each call of a conversation needs its own id. Some providers count from 0 in each turn. */
  readonly isUnique: boolean;
  /** Returns an accepted id. `use` counts the calls that had the client's id before, in a conversation of unique ids. */
  write(id: string, use: number): string;
}

/** Ids of any characters, up to this many. */
export function upTo(charactersMax: number): CallIdRule {
  return {
    accepts: new RegExp(`^[^]{1,${charactersMax}}$`),
    isUnique: false,
    write: (id) => shorten(id, charactersMax),
  };
}

/** Unique ids of letters, digits, `_` and `-`, up to this many. */
export function uniqueUpTo(charactersMax: number): CallIdRule {
  return {
    accepts: new RegExp(`^[a-zA-Z0-9_-]{1,${charactersMax}}$`),
    isUnique: true,
    write(id, use) {
      const own = use === 0 ? id : `${id}_${use}`;
      if (id === "" || id.length > charactersMax) return shorten(own, charactersMax);
      const legal = own.replace(/[^a-zA-Z0-9_-]/g, (one) => `_${one.charCodeAt(0).toString(16)}_`);
      return legal.length > charactersMax ? shorten(own, charactersMax) : legal;
    },
  };
}

/** The ids of one request. An id is written the same way in each request, so that prompts stay cacheable. */
class CallIds {
  readonly #rule: CallIdRule;
  /** The id of the latest call for each of the client's ids. */
  readonly #current = new Map<string, string>();
  readonly #used = new Set<string>();
  /** The next use to try for each id: starting over for each call would take 25 s for 5,000 calls with one id. */
  readonly #uses = new Map<string, number>();

  constructor(rule: CallIdRule) {
    this.#rule = rule;
  }

  /** Returns the id for a call of the assistant. */
  forCall(id: string): string {
    return this.#rule.isUnique ? this.#forUnique(id) : this.forResult(id);
  }

  /** Returns the id for a result: that of the latest call with the client's id. */
  forResult(id: string): string {
    const known = this.#current.get(id);
    if (known !== undefined) return known;
    const written = this.#write(id, 0);
    if (written !== id && !this.#rule.isUnique) this.#current.set(id, written);
    return written;
  }

  #forUnique(id: string): string {
    let use = this.#uses.get(id) ?? 0;
    let taken = this.#write(id, use++);
    for (; this.#used.has(taken); use++) taken = this.#write(id, use);
    this.#uses.set(id, use);
    this.#used.add(taken);
    this.#current.set(id, taken);
    return taken;
  }

  #write(id: string, use: number): string {
    return use === 0 && this.#rule.accepts.test(id) ? id : this.#rule.write(id, use);
  }
}

/** Returns the messages with accepted ids, the same ones if all are. */
export function boundCallIds(messages: readonly ChatMessage[], rule: CallIdRule): readonly ChatMessage[] {
  if (!messages.some(({ role, tool_calls: calls }) => role === "tool" || calls !== undefined))
    return messages;
  const ids = new CallIds(rule);
  const own = (message: ChatMessage) => boundMessage(message, ids);
  // Unless each needs its own, an id that is accepted has no effect on others.
  return rule.isUnique ? mapList(messages, own) : mapGrowing(messages, own, BOUNDED, rule);
}

const BOUNDED = new ElementWork();

function boundMessage(message: ChatMessage, ids: CallIds): ChatMessage {
  if (message.role === "tool") {
    const id = ids.forResult(message.tool_call_id);
    return id === message.tool_call_id ? message : { ...message, tool_call_id: id };
  }
  return message.role === "assistant" && message.tool_calls?.length ? boundTurn(message, ids) : message;
}

/** Thinking may name the call that it belongs to (Gemini's signatures). */
function boundTurn(message: AssistantMessage, ids: CallIds): AssistantMessage {
  const changed = new Map<string | null | undefined, string>();
  const calls = (message.tool_calls ?? []).map((call) => {
    const id = ids.forCall(call.id);
    if (id === call.id) return call;
    changed.set(call.id, id);
    return { ...call, id };
  });
  if (changed.size === 0) return message;
  const rename = (detail: ReasoningDetail) => {
    const id = changed.get(detail.id);
    return id === undefined ? detail : { ...detail, id };
  };
  const details = message.reasoning_details?.map(rename);
  return { ...message, tool_calls: calls, ...(details ? { reasoning_details: details } : {}) };
}
