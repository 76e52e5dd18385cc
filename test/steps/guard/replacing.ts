// Answers in which a word of every text is replaced, and what their annotations cite.
import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../../../src/core/json/json.ts";
import type { ChangeText, TextPlace } from "../../../src/core/text/texts.ts";
import {
  filterText,
  type TextFilter,
  type TextPart,
  type TextStream,
} from "../../../src/guard/text-filter.ts";
import { listChunks, type Part, Run, Verbatim } from "../../../src/operations/chat/answer/run.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import type { ChatReply } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { MovedAnswer } from "../../../src/steps/guard/positions.ts";
import type { Answer } from "../../operations/texts/answers.ts";

export interface Replacement {
  readonly word: string;
  readonly by: string;
}

/** Takes a text in pieces of any length, and holds back what may become the word. */
class ReplacingFilter implements TextFilter {
  readonly #replacement: Replacement;
  readonly #cut: () => number;
  #held = "";

  constructor(replacement: Replacement, cut: () => number) {
    this.#replacement = replacement;
    this.#cut = cut;
  }

  push(text: string): readonly TextPart[] {
    this.#held += text;
    const parts: TextPart[] = [];
    const { word, by } = this.#replacement;
    for (let at = this.#held.indexOf(word); at >= 0; at = this.#held.indexOf(word)) {
      parts.push(...this.#pass(at), { length: word.length, by });
      this.#held = this.#held.slice(at + word.length);
    }
    let free = this.#held.length;
    for (let length = 1; length < word.length; length++)
      if (this.#held.endsWith(word.slice(0, length))) free = Math.min(free, this.#held.length - length);
    parts.push(...this.#pass(free));
    this.#held = this.#held.slice(free);
    return parts;
  }

  end(): readonly TextPart[] {
    const parts = this.#pass(this.#held.length);
    this.#held = "";
    return parts;
  }

  /** Says the same of a text in several parts. */
  #pass(length: number): readonly TextPart[] {
    const first = Math.min(length, this.#cut());
    return [first, length - first].filter(Boolean).map((part) => ({ length: part, by: null }));
  }
}

const nameText = ({ kind, path }: TextPlace) => `${kind} ${path}`;

/** Makes the answer's texts leave with the word replaced, all of each by its last piece, and moves its positions. */
export function replaceWord(answer: Answer, replacement: Replacement, cut: () => number): Answer {
  return {
    ...answer,
    reply: replaceInReply(answer, replacement, cut),
    pieces: replaceInPieces(answer, replacement, cut),
  };
}

function replaceInReply({ reply, native }: Answer, replacement: Replacement, cut: () => number): ChatReply {
  const moved = new MovedAnswer<ChatForm>(CHAT, native);
  const change: ChangeText = (text, place) => leaveWhole(moved, place, text, replacement, cut);
  return moved.whole(CHAT.mapReply(reply, change, native));
}

function leaveWhole(
  { moves }: MovedAnswer<ChatForm>,
  place: TextPlace,
  text: string,
  replacement: Replacement,
  cut: () => number,
): string {
  const leaving = filterText(moves.watch(place, new ReplacingFilter(replacement, cut)));
  const first = Math.min(cut(), text.length);
  return leaving.push(text.slice(0, first)) + leaving.push(text.slice(first)) + leaving.end();
}

function replaceInPieces(
  { pieces, native }: Answer,
  replacement: Replacement,
  cut: () => number,
): readonly Part[] {
  const left = new Map<string, number>();
  CHAT.mapPieces(
    pieces,
    (text, place) => {
      left.set(nameText(place), (left.get(nameText(place)) ?? 0) + 1);
      return text;
    },
    native,
  );
  const moved = new MovedAnswer<ChatForm>(CHAT, native);
  const open = new Map<string, TextStream>();
  const change: ChangeText = (text, place) => {
    if (!place.isPiece) return leaveWhole(moved, place, text, replacement, cut);
    const name = nameText(place);
    const leaving = open.getOrInsertComputed(name, () =>
      filterText(moved.moves.watch(place, new ReplacingFilter(replacement, cut))),
    );
    const first = Math.min(cut(), text.length);
    const now = leaving.push(text.slice(0, first)) + leaving.push(text.slice(first));
    const rest = (left.get(name) ?? 0) - 1;
    left.set(name, rest);
    return rest === 0 ? now + leaving.end() : now;
  };
  const shown = pieces.flatMap((piece) => moved.pass(CHAT.mapPieces([piece], change, native)));
  return [...shown, ...moved.end()];
}

/** Lists the cited passages in order: of the answer's chunks, its whole reply, and the provider's own forms of both. */
export function listCited({ pieces, reply }: Answer): readonly string[] {
  const { verbatim, ...translated } = reply;
  const said = new Map<unknown, string>();
  const chunks = listChunks(pieces).flatMap(({ choices }) => choices);
  for (const { index, delta } of chunks) said.set(index, (said.get(index) ?? "") + (delta.content ?? ""));
  const events = pieces.flatMap(listEvents);
  return [
    ...chunks.flatMap(({ index, delta }) => listSpans(delta.annotations, said.get(index) ?? "")),
    ...translated.choices.flatMap(({ message }) => listSpans(message.annotations, message.content ?? "")),
    ...listResponseSpans(events),
    ...listGrounded(joinCandidates(events)),
    ...(verbatim ? [...listParts(verbatim), ...listGrounded([verbatim])] : []),
  ];
}

function listSpans(annotations: unknown, text: string): readonly string[] {
  return asArray(annotations)
    .map(asObject)
    .flatMap(({ url_citation: page, document_citation: document, ...own }) => {
      const { start_index: start, end_index: end, index } = asObject(page ?? document ?? own);
      const to = end ?? index;
      return to === undefined ? [] : [text.slice(asCount(start), asCount(to))];
    });
}

/** Those of all parts that a document holds. */
function listParts(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((one) => listParts(one));
  if (!isObject(node)) return [];
  const { type, text, annotations } = node;
  if (type === "output_text") return listSpans(annotations, asString(text) ?? "");
  return Object.values(node).flatMap((one) => listParts(one));
}

/** An event of its own cites in the text that comes in pieces. */
function listResponseSpans(events: readonly JsonObject[]): readonly string[] {
  const texts = new Map<string, string>();
  const nameOf = ({ output_index: item, content_index: part }: JsonObject) => `${item} ${part}`;
  for (const event of events) {
    if (event.type !== "response.output_text.delta") continue;
    texts.set(nameOf(event), (texts.get(nameOf(event)) ?? "") + event.delta);
  }
  return events.flatMap((event) => [
    ...listSpans([event.annotation].filter(isObject), texts.get(nameOf(event)) ?? ""),
    ...listParts(event),
  ]);
}

function listEvents(piece: Part): readonly JsonObject[] {
  const data =
    piece instanceof Verbatim ? [piece.event.data] : piece instanceof Run ? (piece.shown?.data ?? []) : [];
  return data.map(parseJson).filter(isObject);
}

/** A stream's candidates, each with all of its parts. */
function joinCandidates(events: readonly JsonObject[]): readonly JsonObject[] {
  const candidates = events.flatMap(({ candidates: own }) => asArray(own).map(asObject));
  const parts = candidates.flatMap(({ content }) => asArray(asObject(content).parts));
  return candidates.map((one) => ({ candidates: [{ ...one, content: { parts } }] }));
}

/** A segment says its text itself. */
function listGrounded(answers: readonly JsonObject[]): readonly string[] {
  return answers.flatMap(({ candidates }) =>
    asArray(candidates)
      .map(asObject)
      .flatMap(({ content, groundingMetadata: grounding }) => {
        const parts = asArray(asObject(content).parts).map(asObject);
        const text = parts.map((part) => (part.thought === true ? "" : (asString(part.text) ?? ""))).join("");
        return asArray(asObject(grounding).groundingSupports)
          .map((support) => asObject(asObject(support).segment))
          .map(({ startIndex: start, endIndex: end, text: own }) => {
            const cited = Buffer.from(text).subarray(asCount(start), asCount(end)).toString();
            return cited === own ? cited : `${cited}, and not ${own}`;
          });
      }),
  );
}
