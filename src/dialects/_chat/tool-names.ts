// The names of tools as a provider accepts them, and whole again in its answer.
import { ElementWork } from "../../core/json/growing.ts";
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import type {
  ChatChunk,
  ChatMessage,
  ChatReply,
  ChatRequest,
  ToolChange,
  ToolChoice,
} from "../../operations/chat/form.ts";
import { shorten } from "./shorten.ts";
import { isSystem } from "./turns.ts";

/** The tool names that a provider accepts. A name that begins with a letter is among them, if its other characters are. */
export interface NameRule {
  readonly accepts: RegExp;
  readonly charactersMax: number;
}

/** Names of letters, digits, `_` and `-`, up to this many. */
export function namesUpTo(charactersMax: number): NameRule {
  return { accepts: new RegExp(`^[a-zA-Z0-9_-]{1,${charactersMax}}$`), charactersMax };
}

/** Names like these that begin with a letter, as the provider's validator wants it. */
export function lettersFirst(charactersMax: number): NameRule {
  return { accepts: new RegExp(`^[a-zA-Z][a-zA-Z0-9_-]{0,${charactersMax - 1}}$`), charactersMax };
}

/** Put before a name whose first character isn't accepted. */
const OPENING = "tool_";

/** A tool, a call or a choice of one: the object under `function` or `custom` has its name. */
type NamedTool = Readonly<JsonObject>;
type ToolKind = "function" | "custom";

function findKind(named: NamedTool): ToolKind {
  return named.custom === undefined ? "function" : "custom";
}

function readName(named: NamedTool): string | undefined {
  return asString(asObject(named[findKind(named)]).name);
}

/** Maps the names of one request that a provider doesn't accept to shorter ones. */
export class SentNames {
  readonly #sent = new Map<string, string>();
  readonly #given = new Map<string, string>();

  /** The same names give the same short ones in each request, unless a tool already has one of these. */
  private constructor(refused: readonly string[], accepted: ReadonlySet<string>, rule: NameRule) {
    for (const name of refused) {
      let short = makeName(name, rule);
      for (let again = 1; accepted.has(short) || this.#given.has(short); again++)
        short = makeName(`${name}/${again}`, rule);
      this.#sent.set(name, short);
      this.#given.set(short, name);
    }
  }

  /** Returns null if all names of the request are accepted, which is the usual case. */
  static of(request: ChatRequest, rule: NameRule): SentNames | null {
    const hasNone =
      request.tools === undefined && request.tool_choice === undefined && !request.messages.some(hasCalls);
    return hasNone ? null : SentNames.#find(request, rule);
  }

  static #find(request: ChatRequest, rule: NameRule): SentNames | null {
    const { accepts } = rule;
    const { messages } = request;
    const known = ACCEPTED.count(messages, accepts);
    const newer = known === 0 ? messages : messages.slice(known);
    if (listAllNames(request, newer).every((name) => accepts.test(name))) {
      ACCEPTED.note(messages, messages.length, accepts);
      return null;
    }
    return SentNames.#ofNames(listAllNames(request, messages), rule);
  }

  static #ofNames(all: readonly string[], rule: NameRule): SentNames {
    const refused = new Set(all.filter((name) => !rule.accepts.test(name)));
    const accepted = new Set(all.filter((name) => !refused.has(name)));
    return new SentNames([...refused], accepted, rule);
  }

  /** Returns the request with the names that are sent in its tools and its choice of them, but not in its messages. */
  boundTools(request: ChatRequest): ChatRequest {
    const { tools, tool_choice: choice } = request;
    return {
      ...request,
      ...(tools === undefined ? {} : { tools: tools.map((tool) => this.#rename(tool, this.#sent)) }),
      ...(choice === undefined ? {} : { tool_choice: this.#renameChoice(choice) }),
    };
  }

  boundMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
    return messages.map((message) => {
      if (message.role === "tool" && typeof message.name === "string") {
        return { ...message, name: this.#sent.get(message.name) ?? message.name };
      }
      if (isSystem(message) && message.tool_changes !== undefined) {
        return { ...message, tool_changes: message.tool_changes.map((one) => this.#renameChange(one)) };
      }
      if (message.role !== "assistant" || !message.tool_calls?.length) return message;
      return { ...message, tool_calls: message.tool_calls.map((call) => this.#rename(call, this.#sent)) };
    });
  }

  restoreReply(reply: ChatReply): ChatReply {
    const choices = reply.choices.map((choice) => {
      const calls = choice.message.tool_calls?.map((call) => this.#rename(call, this.#given));
      return calls === undefined ? choice : { ...choice, message: { ...choice.message, tool_calls: calls } };
    });
    return { ...reply, choices };
  }

  restoreStream(inner: Decoder): Decoder {
    const restore = (chunks: readonly ChatChunk[]) => chunks.map((chunk) => this.#restoreChunk(chunk));
    return {
      get done() {
        return inner.done;
      },
      push: (event) => restore(inner.push(event)),
      end: () => restore(inner.end()),
    };
  }

  /** Returns the same chunk if it begins no renamed call: most hold a piece of text. */
  #restoreChunk(chunk: ChatChunk): ChatChunk {
    const isRenamed = (call: NamedTool) => this.#given.has(readName(call) ?? "");
    if (!chunk.choices.some(({ delta }) => delta.tool_calls?.some(isRenamed))) return chunk;
    const choices = chunk.choices.map((choice) => {
      const calls = choice.delta.tool_calls?.map((call) => this.#rename(call, this.#given));
      return calls === undefined ? choice : { ...choice, delta: { ...choice.delta, tool_calls: calls } };
    });
    return { ...chunk, choices };
  }

  #rename<Tool extends NamedTool>(named: Tool, names: ReadonlyMap<string, string>): Tool {
    const name = names.get(readName(named) ?? "");
    if (name === undefined) return named;
    const kind = findKind(named);
    return { ...named, [kind]: { ...asObject(named[kind]), name } };
  }

  #renameChange(change: ToolChange): ToolChange {
    return { ...change, name: this.#sent.get(change.name) ?? change.name };
  }

  #renameChoice(choice: ToolChoice): ToolChoice {
    if (typeof choice === "string") return choice;
    if (choice.type !== "allowed_tools") return this.#rename(choice, this.#sent);
    const { mode, tools } = choice.allowed_tools;
    return {
      type: "allowed_tools",
      allowed_tools: { mode, tools: tools.map((one) => this.#renameAllowed(one)) },
    };
  }

  /** The Responses API has the name of an allowed tool beside its type, and some clients write it so here. */
  #renameAllowed(tool: JsonObject): JsonObject {
    const name = this.#sent.get(asString(tool.name) ?? "");
    return name === undefined ? this.#rename(tool, this.#sent) : { ...tool, name };
  }
}

function makeName(name: string, { accepts, charactersMax }: NameRule): string {
  const short = shorten(name, charactersMax);
  return accepts.test(short) ? short : shorten(OPENING + name, charactersMax);
}

function hasCalls(message: ChatMessage): boolean {
  return message.role === "assistant" && message.tool_calls !== undefined;
}

const NO_NAMES: readonly never[] = [];

/** The messages whose calls have accepted names. */
const ACCEPTED = new ElementWork();

/** Lists the names of the tools, of the choice among them, and of the calls in these messages. */
function listAllNames(
  { tools = NO_NAMES, tool_choice: choice }: ChatRequest,
  messages: readonly ChatMessage[],
): readonly string[] {
  const names: string[] = [];
  addNames(names, tools);
  if (typeof choice === "object")
    addNames(names, choice.type === "allowed_tools" ? choice.allowed_tools.tools : [choice]);
  for (const message of messages)
    if (message.role === "assistant" && message.tool_calls) addNames(names, message.tool_calls);
  return names;
}

function addNames(names: string[], list: readonly NamedTool[]): void {
  for (const named of list) {
    const name = readName(named) ?? asString(named.name);
    if (name !== undefined) names.push(name);
  }
}
