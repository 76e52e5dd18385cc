// An assistant's turn as its parts in their order, where a message of the chat form has one place for each kind of them.
import {
  type AssistantMessage,
  type Content,
  joinText,
  type PartExtent,
  type PartKind,
  type ReasoningDetail,
  type TextPart,
  type ToolCall,
  type UrlCitation,
} from "./form.ts";

/** A message that holds a turn, of the history or of an answer. */
type Turn = Pick<
  AssistantMessage,
  "content" | "refusal" | "tool_calls" | "reasoning_content" | "reasoning_details" | "parts"
>;

/** Its text is empty where the provider shows none of it. */
export interface ThinkingOfTurn {
  readonly kind: "thinking";
  readonly text: string;
  readonly details: readonly ReasoningDetail[];
}
export interface TextOfTurn {
  readonly kind: "text";
  readonly content: Content;
  /** Empty: nothing was refused. A turn has one refusal. */
  readonly refusal: string;
  /** The characters of the whole content before it. */
  readonly start: number;
  /** Their places are counted from its start. */
  readonly annotations: readonly UrlCitation[];
}
export interface CallOfTurn {
  readonly kind: "call";
  readonly call: ToolCall;
}
export type TurnPart = ThinkingOfTurn | TextOfTurn | CallOfTurn;

/** The usual order. */
const RANKS: Readonly<Record<PartKind, number>> = { thinking: 0, text: 1, call: 2 };

/** Notes the order in which the parts of a turn come. */
export class TurnOrder {
  readonly extents: PartExtent[] = [];

  /** Adds to the turn's part at hand if that is of the same kind and nothing sets the new one apart. */
  add(kind: PartKind, size: number, details = 0, gap = 0): void {
    const last = this.extents.at(-1);
    if (last?.kind !== kind || gap > 0) this.extents.push({ kind, size, details, gap });
    else {
      last.size += size;
      last.details += details;
    }
  }

  /** Undefined for a turn in the usual order. A signature behind its end belongs to what came before. */
  list(): readonly PartExtent[] | undefined {
    const all = this.extents;
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

/** Puts together the message of a turn whose parts come one by one. */
export class TurnBuilder {
  readonly #order = new TurnOrder();
  readonly #texts: TextPart[] = [];
  readonly #thoughts: string[] = [];
  readonly #details: ReasoningDetail[] = [];
  readonly #calls: ToolCall[] = [];
  readonly #gap: string;
  readonly #joins: boolean;
  #refusal = "";

  /** `gap` stands between two texts, or two thoughts, where all of them are one; null: several texts stay apart. */
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
    if (part.text !== "" || gap > 0) this.#order.add("text", part.text.length, 0, gap);
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

  /** A turn that ended within its thinking would be a message without content, which vendors refuse. */
  get saysAnything(): boolean {
    return this.#texts.length + this.#calls.length > 0 || this.#refusal !== "";
  }

  message(): AssistantMessage {
    const [texts, thoughts] = [this.#texts, this.#thoughts];
    const isPlain = this.#joins || (texts.length === 1 && texts.every(hasTextAlone));
    const parts = this.#order.list();
    return {
      role: "assistant",
      content: texts.length === 0 ? null : isPlain ? texts.map(({ text }) => text).join(this.#gap) : texts,
      ...(this.#refusal === "" ? {} : { refusal: this.#refusal }),
      ...(this.#calls.length > 0 ? { tool_calls: this.#calls } : {}),
      ...(thoughts.length > 0 ? { reasoning_content: thoughts.join(this.#gap) } : {}),
      ...(this.#details.length > 0 ? { reasoning_details: this.#details } : {}),
      ...(parts ? { parts } : {}),
    };
  }
}

function hasTextAlone(part: TextPart): boolean {
  for (const field in part) if (field !== "type" && field !== "text") return false;
  return true;
}

/** The parts of a turn, in the usual order unless the turn has one of its own. The citations are those of an answer. */
export function listTurn(turn: Turn, annotations: readonly UrlCitation[] = []): readonly TurnPart[] {
  const { content, reasoning_content: thoughts, reasoning_details = [], tool_calls = [] } = turn;
  const extents = turn.parts ?? measureUsual(turn);
  const lastText = extents.findLastIndex(({ kind }) => kind === "text");
  const taken = { thinking: 0, text: 0, call: 0, details: 0 };
  let uncited = annotations;
  return extents.flatMap(({ kind, size, details, gap }, at): readonly TurnPart[] => {
    const start = taken[kind] + gap;
    const end = start + size;
    taken[kind] = end;
    taken.details += details;
    if (kind === "call") return tool_calls.slice(start, end).map((call) => ({ kind, call }));
    if (kind === "thinking") {
      const own = reasoning_details.slice(taken.details - details, taken.details);
      return [{ kind, text: (thoughts ?? "").slice(start, end), details: own }];
    }
    // A citation is of the text in which it ends; one without a place, of the last.
    const isLast = at === lastText;
    const isOwn = ({ url_citation: { end_index: place } }: UrlCitation) =>
      isLast || (place > start && place <= end);
    const own = uncited.filter(isOwn).map((one) => moveCitation(one, start));
    uncited = uncited.filter((one) => !isOwn(one));
    const refusal = isLast ? (turn.refusal ?? "") : "";
    return [{ kind, content: cutContent(content ?? "", start, end), refusal, start, annotations: own }];
  });
}

function measureUsual(turn: Turn): readonly PartExtent[] {
  const { content, reasoning_content: thoughts, reasoning_details = [], tool_calls = [] } = turn;
  const order = new TurnOrder();
  if (thoughts || reasoning_details.length > 0)
    order.add("thinking", thoughts?.length ?? 0, reasoning_details.length);
  const size = typeof content === "string" ? content.length : joinText(content).length;
  if (content?.length || turn.refusal) order.add("text", size);
  if (tool_calls.length > 0) order.add("call", tool_calls.length);
  return order.extents;
}

/** Writes the parts of each kind. */
export interface TurnWriter<Written> {
  thinking(part: ThinkingOfTurn): readonly Written[];
  text(part: TextOfTurn): readonly Written[];
  call(call: ToolCall): readonly Written[];
}

/** Writes parts in their order. */
export function writeTurn<Written>(parts: readonly TurnPart[], writer: TurnWriter<Written>): Written[] {
  const write = (part: TurnPart) => {
    if (part.kind === "call") return writer.call(part.call);
    return part.kind === "text" ? writer.text(part) : writer.thinking(part);
  };
  return parts.flatMap(write);
}

/** The part of a content between two places in its text; parts of a list are never cut. */
function cutContent(content: Content, start: number, last: number): Content {
  if (typeof content === "string") return content.slice(start, last);
  let end = 0;
  return content.filter((part) => {
    const begin = end;
    end += part.type === "text" ? part.text.length : 0;
    return begin >= start && end <= last;
  });
}

/** The text that a part of an answer shows: a refusal only where nothing else was said. */
export function readText({ content, refusal }: Pick<TextOfTurn, "content" | "refusal">): string {
  return joinText(content) || refusal;
}

/** The citation with its place counted from that character on. */
export function moveCitation(citation: UrlCitation, start: number): UrlCitation {
  if (start === 0) return citation;
  const { start_index: first, end_index: last } = citation.url_citation;
  const place = { start_index: Math.max(0, first - start), end_index: Math.max(0, last - start) };
  return { ...citation, url_citation: { ...citation.url_citation, ...place } };
}
