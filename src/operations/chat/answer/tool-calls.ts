// Normalises tool calls for clients: dense indexes, one complete first fragment, valid and unique ids.
import type { ChatRequest, ToolCallDelta } from "../form.ts";

/** Ids that clients and every provider accept. */
const LEGAL_ID = /^[A-Za-z0-9_-]{1,40}$/;

interface NumberedCall {
  readonly index: number;
  readonly id: string;
  readonly givenId: string | undefined;
  readonly custom: boolean;
  /** The beginning of the arguments, without blanks, while it may become `null`. Null once it can't. */
  held: string | null;
}

const NULL = "null";
const NO_ARGUMENTS = "{}";

/** True for a function called without arguments: some models write `null` for none. */
export function isWithoutArguments(text: string): boolean {
  const said = text.trim();
  return said === "" || said === NULL;
}

/** Call ids already in the conversation, since an upstream may count from 0 in each turn. */
export function listCallIds(request: ChatRequest): Set<string> {
  const ids = new Set<string>();
  for (const message of request.messages) {
    if (message.role !== "assistant") continue;
    for (const call of message.tool_calls ?? []) ids.add(call.id);
  }
  return ids;
}

/** Each call takes some room of its own. */
const CHARACTERS_PER_CALL = 64;

/** Returns the characters that fragments of calls hold. */
export function countCallCharacters(fragments: readonly ToolCallDelta[]): number {
  let characters = 0;
  for (const fragment of fragments) {
    const name = readName(fragment);
    characters += readInput(fragment).length + (name === "" ? 0 : name.length + CHARACTERS_PER_CALL);
  }
  return characters;
}

/** The calls of one choice. */
export class ToolCalls {
  readonly #taken: Set<string>;
  readonly #idPrefix: string;
  readonly #calls: NumberedCall[] = [];
  readonly #byUpstreamIndex = new Map<number, NumberedCall>();
  /** Fragments that arrived before their call had a name. */
  readonly #nameless = new Map<number, ToolCallDelta>();

  /** `taken` is shared by the choices of a reply. `idPrefix` is unique to this choice and turn. */
  constructor(taken: Set<string>, idPrefix: string) {
    this.#taken = taken;
    this.#idPrefix = idPrefix;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Returns the fragments for the client. */
  push(fragments: readonly ToolCallDelta[]): ToolCallDelta[] {
    return fragments.flatMap((fragment) => this.#fragment(fragment));
  }

  /**
   * A call without arguments ends as `{}`, because parsers reject an empty text. If `isCut` is true, the last call's may
   * have been cut off before they began: then nothing is made up.
   */
  end(isCut: boolean): ToolCallDelta[] {
    const last = isCut ? this.#calls.at(-1) : undefined;
    return this.#calls.flatMap((call) => {
      const rest = call.held === "" && call !== last ? NO_ARGUMENTS : call.held;
      return rest ? [{ index: call.index, function: { arguments: rest } }] : [];
    });
  }

  #fragment(given: ToolCallDelta): ToolCallDelta[] {
    const key = this.#findKey(given);
    const known = this.#byUpstreamIndex.get(key);
    if (known && !startsAnother(known, given)) return continueCall(known, given);
    const fragment = joinFragments(this.#nameless.get(key), given);
    this.#nameless.delete(key);
    if (readName(fragment)) return [this.#start(key, fragment)];
    this.#nameless.set(key, fragment);
    return [];
  }

  /** Some servers omit the index: then a fragment with a name starts a new call, and any other continues the last. */
  #findKey(given: ToolCallDelta): number {
    if (typeof given.index === "number") return given.index;
    return readName(given) ? this.#calls.length : Math.max(0, this.#calls.length - 1);
  }

  #start(key: number, given: ToolCallDelta): ToolCallDelta {
    const index = this.#calls.length;
    const id = this.#legalId(given.id, index);
    const custom = given.custom !== undefined;
    const call: NumberedCall = {
      index,
      id,
      givenId: given.id || undefined,
      custom,
      held: custom ? null : "",
    };
    const input = takeInput(call, readInput(given));
    this.#calls.push(call);
    this.#byUpstreamIndex.set(key, call);
    const name = readName(given);
    const body = custom ? { custom: { name, input } } : { function: { name, arguments: input } };
    const extra = given.extra_content ? { extra_content: given.extra_content } : {};
    return { index, id, type: custom ? "custom" : "function", ...body, ...extra };
  }

  #legalId(given: string | undefined, index: number): string {
    let id = given ?? "";
    for (let again = 0; !LEGAL_ID.test(id) || this.#taken.has(id); again++) {
      id = again === 0 ? `${this.#idPrefix}_${index}` : `${this.#idPrefix}_${index}_${again}`;
    }
    this.#taken.add(id);
    return id;
  }
}

/** The same index with another id and a name: some servers give every complete call the index 0. */
function startsAnother(known: NumberedCall, given: ToolCallDelta): boolean {
  return Boolean(given.id) && given.id !== known.givenId && Boolean(readName(given));
}

function continueCall(call: NumberedCall, given: ToolCallDelta): ToolCallDelta[] {
  const input = takeInput(call, readInput(given));
  const extra = given.extra_content ? { extra_content: given.extra_content } : {};
  if (input === "" && !given.extra_content) return [];
  const body = call.custom ? { custom: { input } } : { function: { arguments: input } };
  return [{ index: call.index, ...body, ...extra }];
}

/** Returns what can be sent of a call's input. `null` becomes an empty object as soon as it is whole. */
function takeInput(call: NumberedCall, given: string): string {
  if (call.held === null) return given;
  const text = call.held + given;
  const said = text.trim();
  const isOpen = said !== NULL && NULL.startsWith(said);
  call.held = isOpen ? said : null;
  if (isOpen) return "";
  return said === NULL ? NO_ARGUMENTS : text;
}

function joinFragments(before: ToolCallDelta | undefined, now: ToolCallDelta): ToolCallDelta {
  if (!before) return now;
  const fn = { ...now.function, arguments: readInput(before) + readInput(now) };
  const id = now.id ?? before.id;
  return { ...before, ...now, ...(id === undefined ? {} : { id }), function: fn };
}

function readName(fragment: ToolCallDelta): string {
  return fragment.function?.name || fragment.custom?.name || "";
}

function readInput(fragment: ToolCallDelta): string {
  return fragment.function?.arguments ?? fragment.custom?.input ?? "";
}
