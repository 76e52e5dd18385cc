// A streamed answer as Gemini's responses: server-sent events, or one JSON array.
import type { Fault } from "../../core/faults/fault.ts";
import { JsonBudget } from "../../core/json/bounds.ts";
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { Part } from "../../operations/chat/answer/run.ts";
import type {
  ChatChunk,
  ChunkChoice,
  Citation,
  Delta,
  Finish,
  ReasoningDetail,
  ToolCallDelta,
  Usage,
} from "../../operations/chat/form.ts";
import type { WebSearch } from "../../operations/chat/prompt/search-form.ts";
import { CallQueue } from "../call-queue.ts";
import { EventCopier } from "../copied-events.ts";
import { dataLine } from "../event-stream.ts";
import { PartWriter } from "../part-writer.ts";
import type { Stamp, Writer } from "../surface.ts";
import { stampVerbatim, writeCall, writeFinish, writeThought, writeUsage } from "./answer.ts";
import { writeError } from "./errors.ts";
import { writeGrounding } from "./grounding.ts";
import { LogprobMean } from "./logprobs.ts";

/**
 * Blank lines keep a silent stream alive: the reader in Gemini CLI (until 0.61 at least) stops at a comment, throws the
 * answer away, and asks again.
 */
export const BLANK_LINES = "\n\n";

/** A candidate being written. */
class WrittenCandidate {
  /** Calls are shown whole and in order: clients of this API don't accept pieces of arguments. */
  readonly calls = new CallQueue();
  call: (ToolCallDelta & { input: string }) | null = null;
  /** Thinking not shown yet, which the provider needs back. */
  details: ReasoningDetail[] = [];
  finish: Finish = { finish_reason: "stop" };
  /** True once a call was cut off. */
  isCut = false;
  /** The text so far, which citations refer to. A refusal after text adds nothing to the finish reason. */
  readonly text: string[] = [];
  readonly citations: Citation[] = [];
  readonly searches: WebSearch[] = [];
  readonly logprobs = new LogprobMean();

  /** Takes what is only shown at the end. */
  collect({ annotations, web_searches: searches }: Delta): void {
    for (const citation of annotations ?? []) this.citations.push(citation);
    for (const search of searches ?? []) this.searches.push(search);
  }
}

const NOTHING: JsonObject = {};

/** Named, so that no chunk creates a function. */
const makeCandidate = () => new WrittenCandidate();

export class GenerateWriter extends PartWriter implements Writer<Part> {
  readonly keepAlive: string;
  readonly #seal: Sealer;
  readonly #isArray: boolean;
  readonly #json = new JsonBudget();
  readonly #candidates = new Map<number, WrittenCandidate>();
  #isBegun = false;

  constructor(stamp: () => Stamp, seal: Sealer, isArray: boolean) {
    super(stamp, new EventCopier());
    this.#seal = seal;
    this.#isArray = isArray;
    this.keepAlive = isArray ? "\n" : BLANK_LINES;
  }

  protected override writeEnd(): string {
    const text = this.isVerbatim ? this.showHeld() : this.#endOwn();
    return this.#isArray ? `${text}${this.#isBegun ? "" : "["}]` : text;
  }

  protected override writeFailure(fault: Fault): string {
    const text = this.#write(writeError(fault));
    return this.#isArray ? `${text}]` : text;
  }

  #write(response: JsonObject): string {
    const json = JSON.stringify(response);
    if (!this.#isArray) return dataLine(json);
    const text = `${this.#isBegun ? "," : "["}${json}\n`;
    this.#isBegun = true;
    return text;
  }

  protected override isLast({ candidates }: JsonObject): boolean {
    return asArray(candidates).some((candidate) => asObject(candidate).finishReason);
  }

  /** Events have no names here. */
  protected override isPiece(): boolean {
    return false;
  }

  protected override show(event: JsonObject, usage?: Usage | null): string {
    return this.#write(stampVerbatim(event, this.stamp, event === this.held.at(-1) ? usage : null));
  }

  protected override writeChunk({ choices }: ChatChunk): string {
    let text = "";
    for (const choice of choices) text += this.#choice(choice);
    return text;
  }

  #choice({ index, delta, finish_reason: reason, logprobs, ...rest }: ChunkChoice): string {
    const candidate = this.#candidates.getOrInsertComputed(index, makeCandidate);
    const parts = candidate.calls.push(delta).flatMap((one) => this.#listParts(candidate, one));
    if (reason !== null) candidate.finish = { ...rest, finish_reason: reason };
    const likely = logprobs ? candidate.logprobs.write(logprobs) : NOTHING;
    if (parts.length === 0 && likely === NOTHING) return "";
    return this.#write(this.#response([{ ...this.#part(index, parts), ...likely }]));
  }

  #listParts(candidate: WrittenCandidate, delta: Delta): readonly JsonObject[] {
    const parts: JsonObject[] = [];
    if (delta.reasoning_content) {
      parts.push(...this.#endCall(candidate), { text: delta.reasoning_content, thought: true });
    }
    for (const detail of delta.reasoning_details ?? []) candidate.details.push(detail);
    const said = delta.content || (candidate.text.length > 0 ? "" : delta.refusal);
    if (said) parts.push(...this.#endCall(candidate), ...this.#sign(candidate), { text: said });
    if (delta.content) candidate.text.push(delta.content);
    candidate.collect(delta);
    for (const piece of delta.tool_calls ?? []) parts.push(...this.#call(candidate, piece));
    return parts;
  }

  #endOwn(): string {
    const candidates = [...this.#candidates].toSorted(([a], [b]) => a - b);
    const last = candidates.map(([index, candidate]) => {
      const part = this.#part(index, this.#lastParts(candidate));
      const grounding = writeGrounding(candidate.text.join(""), candidate.citations, candidate.searches);
      const finishReason = writeFinish(candidate.finish, candidate.isCut);
      return { ...part, finishReason, ...grounding, ...candidate.logprobs.writeMean() };
    });
    const usage = this.usage ? { usageMetadata: writeUsage(this.usage) } : {};
    return this.#write({ ...this.#response(last), ...usage });
  }

  #lastParts(candidate: WrittenCandidate): readonly JsonObject[] {
    const waiting = candidate.calls.end().flatMap((delta) => this.#listParts(candidate, delta));
    return [...waiting, ...this.#endCall(candidate), ...this.#sign(candidate)];
  }

  /** Takes a piece of a call. If it begins a new call, returns the previous one, which is now complete. */
  #call(candidate: WrittenCandidate, piece: ToolCallDelta): readonly JsonObject[] {
    const input = piece.function?.arguments ?? piece.custom?.input ?? "";
    const { call } = candidate;
    if (call?.index === piece.index) {
      call.input += input;
      if (piece.extra_content) call.extra_content = { ...call.extra_content, ...piece.extra_content };
      return [];
    }
    const parts = [...this.#endCall(candidate), ...this.#sign(candidate)];
    candidate.call = { ...piece, input };
    return parts;
  }

  #endCall(candidate: WrittenCandidate): readonly JsonObject[] {
    const { call } = candidate;
    if (call === null) return [];
    candidate.call = null;
    const { id = "", input, extra_content: extra } = call;
    const name = call.function?.name ?? call.custom?.name ?? "";
    const given = { id, name, isCustom: call.custom !== undefined, input, extra };
    const written = writeCall(given, candidate.finish, this.#json);
    candidate.isCut ||= written === null;
    return written === null ? [] : [written];
  }

  /** Ends the thinking: its signature is a part of its own. */
  #sign(candidate: WrittenCandidate): readonly JsonObject[] {
    if (candidate.details.length === 0) return [];
    const signed = writeThought("", candidate.details, this.#seal);
    candidate.details = [];
    return signed?.thoughtSignature ? [signed] : [];
  }

  #part(index: number, parts: readonly JsonObject[]): JsonObject {
    return { content: { role: "model", parts: parts.length > 0 ? parts : [{ text: "" }] }, index };
  }

  #response(candidates: readonly JsonObject[]): JsonObject {
    const { id, model } = this.stamp;
    return { candidates, modelVersion: model, responseId: id };
  }
}
