// A streamed answer as Gemini's responses: server-sent events, or one JSON array.
import type { Fault } from "../../core/fault.ts";
import { asArray, asObject, type JsonObject, parseJson } from "../../core/json.ts";
import type { Sealer } from "../../core/world.ts";
import type {
  ChatChunk,
  ChunkChoice,
  ReasoningDetail,
  ToolCallDelta,
  Usage,
} from "../../operations/chat/form.ts";
import type { Part, Verbatim } from "../../operations/chat/run.ts";
import { dataLine, KEEP_ALIVE_LINE } from "../event-stream.ts";
import { PartWriter } from "../part-writer.ts";
import type { Stamp, Writer } from "../surface.ts";
import {
  readArguments,
  signatureOfCall,
  stampVerbatim,
  writeFinish,
  writeThought,
  writeUsage,
} from "./answer.ts";
import { writeError } from "./errors.ts";

/** One candidate while it is written. */
interface Candidate {
  /** Calls are shown whole: clients of this API take no pieces of arguments. */
  readonly calls: Map<number, ToolCallDelta & { input: string }>;
  readonly details: ReasoningDetail[];
  finish: ChunkChoice["finish_reason"];
  /** A refusal behind an answer's text says nothing more than the finish. */
  hasText: boolean;
}

export class GenerateWriter extends PartWriter implements Writer<Part> {
  readonly keepAlive: string;
  readonly #stamp: () => Stamp;
  readonly #seal: Sealer;
  readonly #isArray: boolean;
  readonly #candidates = new Map<number, Candidate>();
  #stamped: Stamp | null = null;
  #isVerbatim = false;
  #isBegun = false;
  /** The provider's own events from its finish on: their cost is known once the request is settled. */
  readonly #held: JsonObject[] = [];
  #usage: Usage | null = null;

  constructor(stamp: () => Stamp, seal: Sealer, isArray: boolean) {
    super();
    this.#stamp = stamp;
    this.#seal = seal;
    this.#isArray = isArray;
    this.keepAlive = isArray ? "\n" : KEEP_ALIVE_LINE;
  }

  end(): string {
    const text = this.#isVerbatim ? this.#endVerbatim() : this.#endOwn();
    return this.#isArray ? `${text}${this.#isBegun ? "" : "["}]` : text;
  }

  fail(fault: Fault): string {
    const text = this.#show(writeError(fault));
    return this.#isArray ? `${text}]` : text;
  }

  #show(response: JsonObject): string {
    const json = JSON.stringify(response);
    if (!this.#isArray) return dataLine(json);
    const text = `${this.#isBegun ? "," : "["}${json}\n`;
    this.#isBegun = true;
    return text;
  }

  #stampNow(): Stamp {
    this.#stamped ??= this.#stamp();
    return this.#stamped;
  }

  protected override passOn({ event }: Verbatim): string {
    this.#isVerbatim = true;
    const data = asObject(parseJson(event.data));
    const isLast = asArray(data.candidates).some((candidate) => asObject(candidate).finishReason);
    if (isLast || this.#held.length > 0) {
      this.#held.push(data);
      return "";
    }
    return this.#show(stampVerbatim(data, this.#stampNow(), null));
  }

  #endVerbatim(): string {
    const last = this.#held.length - 1;
    return this.#held
      .map((data, at) => this.#show(stampVerbatim(data, this.#stampNow(), at === last ? this.#usage : null)))
      .join("");
  }

  protected override writeChunk({ choices, usage }: ChatChunk): string {
    if (usage) this.#usage = usage;
    // Chunks behind the provider's own events only sum up what those have said.
    if (this.#isVerbatim) return "";
    let text = "";
    for (const choice of choices) text += this.#choice(choice);
    return text;
  }

  #choice({ index, delta, finish_reason: finish }: ChunkChoice): string {
    const candidate = this.#candidateOf(index);
    const parts: JsonObject[] = [];
    for (const detail of delta.reasoning_details ?? []) candidate.details.push(detail);
    if (delta.reasoning_content) parts.push({ text: delta.reasoning_content, thought: true });
    const said = delta.content || (candidate.hasText ? "" : delta.refusal);
    if (said) parts.push({ text: said });
    candidate.hasText ||= Boolean(delta.content);
    for (const piece of delta.tool_calls ?? []) addPiece(candidate, piece);
    if (finish !== null) candidate.finish = finish;
    return parts.length === 0 ? "" : this.#show(this.#response([this.#part(index, parts)]));
  }

  #endOwn(): string {
    const candidates = [...this.#candidates].toSorted(([a], [b]) => a - b);
    const last = candidates.map(([index, candidate]) => {
      const parts = this.#lastParts(candidate);
      return { ...this.#part(index, parts), finishReason: writeFinish(candidate.finish ?? "stop") };
    });
    const usage = this.#usage ? { usageMetadata: writeUsage(this.#usage) } : {};
    return this.#show({ ...this.#response(last), ...usage });
  }

  /** The calls, and what the provider wants back of its thinking. */
  #lastParts({ calls, details }: Candidate): readonly JsonObject[] {
    const signed = details.length > 0 ? writeThought("", details, this.#seal) : null;
    const made = [...calls.values()].map((call) => {
      const isCustom = call.custom !== undefined;
      const args = isCustom ? { input: call.input } : readArguments(call.input);
      const name = call.function?.name ?? call.custom?.name ?? "";
      return { functionCall: { id: call.id ?? "", name, args }, ...signatureOfCall(call.extra_content) };
    });
    return [...(signed?.thoughtSignature ? [signed] : []), ...made];
  }

  #part(index: number, parts: readonly JsonObject[]): JsonObject {
    return { content: { role: "model", parts: parts.length > 0 ? parts : [{ text: "" }] }, index };
  }

  #response(candidates: readonly JsonObject[]): JsonObject {
    const { id, model } = this.#stampNow();
    return { candidates, modelVersion: model, responseId: id };
  }

  #candidateOf(index: number): Candidate {
    const known = this.#candidates.get(index);
    if (known) return known;
    const candidate: Candidate = { calls: new Map(), details: [], finish: null, hasText: false };
    this.#candidates.set(index, candidate);
    return candidate;
  }
}

function addPiece({ calls }: Candidate, piece: ToolCallDelta): void {
  const input = piece.function?.arguments ?? piece.custom?.input ?? "";
  const known = calls.get(piece.index);
  if (!known) {
    calls.set(piece.index, { ...piece, input });
    return;
  }
  known.input += input;
  if (piece.extra_content) known.extra_content = { ...known.extra_content, ...piece.extra_content };
}
