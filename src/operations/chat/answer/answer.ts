// Turns the text of a streamed answer into the client's chunks: parsed, decoded, cut at stop sequences, put in order.

import { malformed } from "../../../core/faults/malformed.ts";
import { explainExcess, parseReceived } from "../../../core/json/bounds.ts";
import type { JsonShape } from "../../../core/json/shape.ts";
import type { ServerEvent } from "../../../core/models/dialect.ts";
import { shortenRemovals } from "../../../core/models/thinking/removed-reasoning.ts";
import { catchUnreadable } from "../../../core/models/upstream.ts";
import { EventParser } from "../../../transport/framing/sse.ts";
import type { Reader, Reading } from "../../operation.ts";
import type { ChatForm, Decoder } from "../decoder.ts";
import type { ChatChunk, ChatReply, ChatRequest, Usage } from "../form.ts";
import { unfold } from "./fold.ts";
import { Normaliser } from "./normalise.ts";
import { type Part, Run, Verbatim } from "./run.ts";
import { Learner, type Template } from "./splice.ts";
import { StopCutter } from "./stop.ts";

/** The most of a stream to keep for the decoder. Each piece keeps its whole read alive. */
const KEPT_CHARACTERS_MAX = 8 * 1024;

interface AnswerOptions {
  readonly decoder: Decoder;
  readonly request: ChatRequest;
  /** Added to the index of each choice. */
  readonly choiceOffset: number;
  /** Stop sequences that the provider doesn't support. */
  readonly stops: readonly string[];
  /** True if events may be passed on unread. The answer is the same, to the byte, either way. */
  readonly splices: boolean;
  /** True if the client gets the provider's own events. */
  readonly verbatim?: boolean;
}

export class AnswerReader implements Reader<ChatForm> {
  readonly #decoder: Decoder;
  readonly #request: ChatRequest;
  readonly #parser = new EventParser<Run>();
  /** Null without stop sequences to apply. */
  readonly #cutter: StopCutter | null;
  readonly #normaliser: Normaliser;
  readonly #finished = new Set<number>();
  readonly #splices: boolean;
  readonly #verbatim: boolean;
  readonly #learner: Learner;
  /** The template of the latest run, or null. */
  #template: Template | null = null;
  /** Runs of that template's events that the decoder has not seen. */
  #passed: Run[] = [];
  #keptCharacters = 0;

  constructor({ decoder, request, choiceOffset, stops, splices, verbatim = false }: AnswerOptions) {
    this.#verbatim = verbatim;
    this.#decoder = decoder;
    this.#request = request;
    this.#cutter = stops.length === 0 ? null : new StopCutter(stops);
    this.#normaliser = new Normaliser(request, choiceOffset);
    // A stop sequence may span several texts, so each must be checked.
    this.#splices = splices && stops.length === 0;
    this.#learner = new Learner(verbatim);
  }

  get done(): boolean {
    return this.#decoder.done;
  }

  get isFinished(): boolean {
    return this.#finished.size >= (this.#request.n ?? 1);
  }

  get usage(): Usage | null {
    return this.#normaliser.usage;
  }

  push(text: string): Reading<Part> | null {
    const parts: Part[] = [];
    let events = 0;
    try {
      this.#parser.feed(text);
      for (let next = this.#parser.next(); next; next = this.#parser.next()) {
        if (!(next instanceof Run) && next.data === "") continue;
        events++;
        if (next instanceof Run) {
          this.#normaliser.countCalls(next.callCharacters);
          this.#passed.push(next);
          parts.push(next);
        } else this.#read(next, parts);
      }
      if (this.#passed.length > 0) this.#keptCharacters += text.length;
      if (this.#keptCharacters > KEPT_CHARACTERS_MAX) this.#catchUp();
    } catch (broken) {
      return { pieces: parts, broken };
    }
    return events === 0 ? null : { pieces: parts, broken: undefined };
  }

  end(): Reading<Part> {
    const parts: Part[] = [];
    try {
      for (const event of this.#parser.end()) this.#read(event, parts);
      this.#catchUp();
      parts.push(...this.accept(catchUnreadable(() => this.#decoder.end())));
    } catch (broken) {
      return { pieces: parts, broken };
    }
    return { pieces: parts, broken: undefined };
  }

  early(): readonly Part[] | null {
    try {
      this.#catchUp();
      return this.accept(this.#decoder.end());
    } catch {
      return null;
    }
  }

  acceptReply(reply: ChatReply): readonly ChatChunk[] {
    return this.accept(unfold(reply));
  }

  /** Accepts chunks that did not arrive as events. */
  accept(chunks: readonly ChatChunk[]): readonly ChatChunk[] {
    for (const { choices } of chunks)
      for (const { index, finish_reason } of choices) if (finish_reason) this.#finished.add(index);
    return this.#normaliser.push(this.#cutter === null ? chunks : this.#cutter.push(chunks));
  }

  finish(): readonly ChatChunk[] {
    return this.#normaliser.end().filter((chunk) => chunk.choices.length > 0);
  }

  #read(event: ServerEvent, parts: Part[]): void {
    boundJson(event.data, this.#request);
    this.#catchUp();
    const chunks = this.accept(catchUnreadable(() => this.#decoder.push(event)));
    const restated = this.#verbatim ? (this.#decoder.restate?.(event) ?? null) : null;
    if (this.#verbatim) pushShown(parts, event, restated, chunks);
    else for (const chunk of chunks) parts.push(chunk);
    // An event that changes more than the text may change the meaning of the next text.
    if (this.#splices && restated === null)
      this.#template = this.#learner.learn(event, this.#parser.raw, chunks);
    this.#parser.template = this.#template;
  }

  /**
   * The decoder sees everything passed on unread as one event with all of its text, since it may depend on what was
   * said before.
   */
  #catchUp(): void {
    if (this.#passed.length === 0 || this.#template === null) return;
    this.#decoder.push(this.#template.join(this.#passed));
    this.#passed = [];
    this.#keptCharacters = 0;
  }
}

/** The last of the restated events is the provider's own, whose meaning the chunks are. */
function pushShown(
  parts: Part[],
  event: ServerEvent,
  restated: readonly ServerEvent[] | null,
  chunks: readonly ChatChunk[],
): void {
  if (restated === null) parts.push(new Verbatim(event, chunks));
  else
    for (const [at, one] of restated.entries())
      parts.push(new Verbatim(one, at === restated.length - 1 ? chunks : []));
}

/** Parsing 100,000 fields with different names takes 30 ms, 700,000 take over a second. */
const PLAIN: JsonShape = { depth: 100, elements: 100_000 };
/** For requests with log probabilities: an answer of 1,700 tokens with 20 alternatives each. */
const WITH_LOGPROBS: JsonShape = { depth: 100, elements: 250_000 };

/** Returns the text as it may be parsed. Throws if it has more structure than an answer to this request could have. */
function boundJson(text: string, request: ChatRequest): string {
  const most = request.logprobs === true ? WITH_LOGPROBS : PLAIN;
  if (explainExcess(text, most) === null) return text;
  const shortened = shortenRemovals(text);
  const excess = explainExcess(shortened, most);
  if (excess !== null) throw malformed(excess);
  return shortened;
}

/** Parses a whole answer. Throws if it is not JSON or exceeds the bounds. */
export function parseAnswer(text: string, request: ChatRequest): unknown {
  const body = parseReceived(boundJson(text, request));
  if (body === undefined) throw malformed("the answer is not JSON");
  return body;
}
