// An assistant's turn as ordered parts, although a chat message has one place for each kind of part.
import { hasOnly } from "../../core/json/json.ts";
import { moveCitation, readSource } from "./answer/citations.ts";
import type {
  AssistantMessage,
  Citation,
  Content,
  PartExtent,
  PartKind,
  ReasoningDetail,
  TextPart,
  ToolCall,
} from "./form.ts";
import { joinText } from "./prompt/content-text.ts";
import type { WebSearch } from "./prompt/search-form.ts";

/** A message that holds a turn, from the history or an answer. */
type TurnFields = Pick<
  AssistantMessage,
  "content" | "refusal" | "tool_calls" | "reasoning_content" | "reasoning_details" | "parts"
> & { readonly web_searches?: readonly WebSearch[] };

/** Empty if the provider shows none of the text. */
interface TurnThinking {
  readonly kind: "thinking";
  readonly text: string;
  readonly details: readonly ReasoningDetail[];
}
export interface TurnText {
  readonly kind: "text";
  readonly content: Content;
  /** Empty if nothing was refused. A turn has at most one refusal. */
  readonly refusal: string;
  /** The number of content characters before it. */
  readonly start: number;
  /** With positions relative to its start. */
  readonly annotations: readonly Citation[];
}
interface TurnCall {
  readonly kind: "call";
  readonly call: ToolCall;
}
interface TurnSearch {
  readonly kind: "search";
  readonly search: WebSearch;
}
export type TurnPart = TurnThinking | TurnSearch | TurnText | TurnCall;

/** The usual order. */
const RANKS: Readonly<Record<PartKind, number>> = { thinking: 0, search: 1, text: 2, call: 3 };

/** Records the order of a turn's parts. */
export class TurnOrder {
  readonly extents: PartExtent[] = [];

  /** Extends the current part if it has the same kind and nothing separates them. */
  add(kind: PartKind, size: number, details = 0, gap = 0): void {
    const last = this.extents.at(-1);
    if (last?.kind !== kind || gap > 0) this.extents.push({ kind, size, details, gap });
    else {
      last.size += size;
      last.details += details;
    }
  }

  /** Undefined for a turn in the usual order. A signature after its end belongs to the part before. */
  list(): readonly PartExtent[] | undefined {
    const all = this.extents;
    if (all.length < 2) return undefined;
    const last = all.findLastIndex(({ kind, size }) => kind !== "thinking" || size > 0);
    let rank = 0;
    for (let at = 0; at <= last; at++) {
      const now = RANKS[all[at]?.kind ?? "call"];
      if (now < rank) return all;
      rank = now;
    }
    return undefined;
  }
}

/** Builds the message of a turn whose parts arrive one by one. */
export class TurnBuilder {
  readonly #order = new TurnOrder();
  readonly #texts: TextPart[] = [];
  readonly #thoughts: string[] = [];
  readonly #details: ReasoningDetail[] = [];
  readonly #calls: ToolCall[] = [];
  readonly #gap: string;
  readonly #joins: boolean;
  #refusal = "";

  /** `gap` separates two texts, or two thoughts, that are joined. If null, texts stay separate. */
  constructor(gap: string | null) {
    this.#gap = gap ?? "";
    this.#joins = gap !== null;
  }

  think(text: string, details: readonly ReasoningDetail[]): void {
    if (text === "" && details.length === 0) return;
    for (const detail of details) this.#details.push(detail);
    const gap = this.#thoughts.length > 0 && text !== "" ? this.#gap.length : 0;
    if (text !== "") this.#thoughts.push(text);
    this.#order.add("thinking", text.length, details.length, gap);
  }

  say(part: TextPart): void {
    const gap = this.#texts.length > 0 ? this.#gap.length : 0;
    this.#order.add("text", this.#joins ? part.text.length : 1, 0, gap);
    this.#texts.push(part);
  }

  refuse(refusal: string): void {
    this.#order.add("text", 0);
    this.#refusal += refusal;
  }

  call(call: ToolCall): void {
    this.#order.add("call", 1);
    this.#calls.push(call);
  }

  /** A turn that ended while thinking would be a message without content, which vendors refuse. */
  get saysAnything(): boolean {
    return this.#texts.length + this.#calls.length > 0 || this.#refusal !== "";
  }

  message(): AssistantMessage {
    const message: AssistantMessage = { role: "assistant", content: this.#content() };
    if (this.#refusal !== "") message.refusal = this.#refusal;
    if (this.#calls.length > 0) message.tool_calls = this.#calls;
    if (this.#thoughts.length > 0) message.reasoning_content = this.#thoughts.join(this.#gap);
    if (this.#details.length > 0) message.reasoning_details = this.#details;
    const parts = this.#order.list();
    if (!parts) return message;
    message.parts = parts;
    const only = this.#texts[0]?.text;
    if (only === undefined || message.content !== only) return message;
    // The size of a string is its number of characters.
    for (const part of parts) if (part.kind === "text" && part.size > 0) part.size = only.length;
    return message;
  }

  #content(): string | TextPart[] | null {
    const [only] = this.#texts;
    if (!only) return null;
    if (this.#texts.length === 1 && (this.#joins || hasOnly(only, TEXT_FIELDS))) return only.text;
    return this.#joins ? this.#texts.map(({ text }) => text).join(this.#gap) : this.#texts;
  }
}

/** A part with these alone is no more than a text. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text"]);

/** Returns the parts of a turn, in the usual order unless it has its own. `annotations` are an answer's citations. */
export function listTurn(turn: TurnFields, annotations: readonly Citation[] = NONE): readonly TurnPart[] {
  if (turn.parts) return listOrdered(turn, turn.parts, annotations);
  const { content, reasoning_content: text, reasoning_details: details = NONE, tool_calls: calls } = turn;
  const listed: TurnPart[] = [];
  if (text || details.length > 0) listed.push({ kind: "thinking", text: text ?? "", details });
  for (const search of turn.web_searches ?? NONE) listed.push({ kind: "search", search });
  const refusal = turn.refusal ?? "";
  if (content?.length || refusal !== "")
    listed.push({ kind: "text", content: content ?? "", refusal, start: 0, annotations });
  if (calls) for (const call of calls) listed.push({ kind: "call", call });
  return listed;
}

/** Shared, so that a turn with nothing to list allocates no array. */
const NONE: readonly never[] = [];

function listOrdered(
  turn: TurnFields,
  extents: readonly PartExtent[],
  annotations: readonly Citation[],
): readonly TurnPart[] {
  const {
    reasoning_content: thoughts,
    reasoning_details = NONE,
    tool_calls = NONE,
    web_searches = NONE,
  } = turn;
  const content = turn.content ?? "";
  const lastText = extents.findLastIndex(({ kind }) => kind === "text");
  const taken = { thinking: 0, search: 0, text: 0, call: 0, details: 0 };
  const cited = annotations.toSorted((one, other) => readEnd(one) - readEnd(other));
  let citedAt = 0;
  return extents.flatMap(({ kind, size, details, gap }, at): readonly TurnPart[] => {
    const start = taken[kind] + gap;
    const end = start + size;
    taken[kind] = end;
    taken.details += details;
    if (kind === "call") return tool_calls.slice(start, end).map((call) => ({ kind, call }));
    if (kind === "search") return web_searches.slice(start, end).map((search) => ({ kind, search }));
    if (kind === "thinking") {
      const own = reasoning_details.slice(taken.details - details, taken.details);
      return [{ kind, text: (thoughts ?? "").slice(start, end), details: own }];
    }
    // A citation belongs to the text in which it ends, or to the first if it has no position.
    const first = citedAt;
    const isLast = at === lastText;
    for (let next = cited[citedAt]; next && (isLast || readEnd(next) <= end); next = cited[++citedAt]);
    const own = cited.slice(first, citedAt).map((one) => moveCitation(one, start));
    const refusal = isLast ? (turn.refusal ?? "") : "";
    return [{ kind, content: content.slice(start, end), refusal, start, annotations: own }];
  });
}

function readEnd(citation: Citation): number {
  return readSource(citation).end_index;
}

/** Writes the parts of each kind. */
interface TurnWriter<Written> {
  thinking(part: TurnThinking): readonly Written[];
  text(part: TurnText): readonly Written[];
  call(call: ToolCall): readonly Written[];
  /** Missing if the form has no place for searches. */
  search?(search: WebSearch): readonly Written[];
}

/** Writes parts in their order. */
export function writeTurn<Written>(parts: readonly TurnPart[], writer: TurnWriter<Written>): Written[] {
  const written: Written[] = [];
  for (const part of parts) {
    for (const one of writePart(part, writer)) written.push(one);
  }
  return written;
}

function writePart<Written>(part: TurnPart, writer: TurnWriter<Written>): readonly Written[] {
  switch (part.kind) {
    case "text":
      return writer.text(part);
    case "call":
      return writer.call(part.call);
    case "search":
      return writer.search?.(part.search) ?? NONE;
    case "thinking":
      return writer.thinking(part);
  }
}

/** Returns the text shown for a part of an answer: the refusal only if there is nothing else. */
export function readText({ content, refusal }: Pick<TurnText, "content" | "refusal">): string {
  return joinText(content) || refusal;
}
