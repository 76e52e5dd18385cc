// Signals of an answer's own quality: refused, cut off, not the JSON asked for, or calls that can't be made.

import { isObject } from "../../core/json.ts";
import { parseReceived } from "../../core/json-bounds.ts";
import {
  type ChatChunk,
  type ChatRequest,
  type ChunkChoice,
  readOutputLimit,
} from "../../operations/chat/form.ts";
import { matchesSchema } from "./schema.ts";

export type Signal = "refused" | "cut_off" | "not_json" | "breaks_schema" | "bad_arguments";

interface WeighedSignal {
  /** Both 0…1. */
  readonly score: number;
  readonly weight: number;
}

/** Each signal's score, and its weight relative to a client's own score, which weighs 1. */
const SIGNAL_WEIGHTS: Readonly<Record<Signal, WeighedSignal>> = {
  refused: { score: 0, weight: 0.2 },
  cut_off: { score: 0.2, weight: 0.2 },
  not_json: { score: 0, weight: 0.4 },
  breaks_schema: { score: 0, weight: 0.4 },
  bad_arguments: { score: 0, weight: 0.4 },
};
const WEIGHT_MAX = 0.5;

/**
 * Returns the lesson of a broken answer after this many sound ones: one bad answer among many doesn't make a bad model.
 * Sound answers only confirm the expectation, so they are counted into the lesson of the next broken one.
 */
export function weighSignal(signal: Signal, expected: number, soundBefore: number): WeighedSignal {
  const { score, weight } = SIGNAL_WEIGHTS[signal];
  return {
    score: (score + soundBefore * expected) / (1 + soundBefore),
    weight: Math.min(WEIGHT_MAX, weight * (1 + soundBefore)),
  };
}

/** Longer texts are not parsed and give no signal. */
const CHARACTERS_MAX = 256 * 1024;
/** Added to the length of each part of a call. */
const CALL_CHARACTERS = 16;
/** An answer shorter than this share of the client's limit was not ended by it. */
const NEAR = 0.95;

interface Call {
  name: string;
  input: string;
  isCustom: boolean;
}

interface Choice {
  content: string;
  refused: boolean;
  finish: ChunkChoice["finish_reason"];
  readonly calls: Map<number, Call>;
}

/** Grades one answer from its chunks. Keeps texts only if JSON or tools were requested. */
export class Grader {
  readonly #request: ChatRequest;
  /** True if texts are kept, not only the finish reason. */
  readonly keepsTexts: boolean;
  readonly #choices = new Map<number, Choice>();
  #characters = 0;

  constructor(request: ChatRequest) {
    this.#request = request;
    this.keepsTexts = asksJson(request) || (request.tools?.length ?? 0) > 0;
  }

  add(chunks: readonly ChatChunk[]): void {
    for (const { choices } of chunks) for (const choice of choices) this.#addChoice(choice);
  }

  #addChoice({ index, delta, finish_reason }: ChunkChoice): void {
    const choice = this.#choices.get(index) ?? {
      content: "",
      refused: false,
      finish: null,
      calls: new Map(),
    };
    this.#choices.set(index, choice);
    choice.finish = finish_reason ?? choice.finish;
    if (delta.refusal) choice.refused = true;
    if (!this.keepsTexts || this.#characters > CHARACTERS_MAX) return;
    choice.content += delta.content ?? "";
    this.#characters += delta.content?.length ?? 0;
    for (const { index: at, function: called, custom } of delta.tool_calls ?? []) {
      const call = choice.calls.get(at) ?? { name: "", input: "", isCustom: false };
      choice.calls.set(at, call);
      call.name ||= called?.name ?? "";
      call.input += called?.arguments ?? "";
      call.isCustom ||= custom !== undefined;
      this.#characters += CALL_CHARACTERS + (called?.arguments?.length ?? 0);
    }
  }

  /** Returns the first signal against the answer, or null. `tokens` is the answer's length, if known. */
  signal(tokens: number | null): Signal | null {
    for (const choice of this.#choices.values()) {
      const found = this.#signalOf(choice, tokens);
      if (found !== null) return found;
    }
    return null;
  }

  get isCutOff(): boolean {
    return [...this.#choices.values()].some(({ finish }) => finish === "length");
  }

  /** The requested form. Sound answers are counted for each. */
  get form(): string {
    if (asksJson(this.#request)) return "json";
    return this.keepsTexts ? "tools" : "text";
  }

  #signalOf({ content, refused, finish, calls }: Choice, tokens: number | null): Signal | null {
    if (refused || finish === "content_filter") return "refused";
    if (finish === "length") return this.#isOwnLimit(tokens) ? null : "cut_off";
    if (this.#characters > CHARACTERS_MAX) return null;
    for (const call of calls.values()) if (!this.#isRight(call)) return "bad_arguments";
    return calls.size === 0 && asksJson(this.#request) ? this.#signalOfJson(content) : null;
  }

  /** True if the client's own limit ended the answer. */
  #isOwnLimit(tokens: number | null): boolean {
    const limit = readOutputLimit(this.#request);
    return limit !== undefined && (tokens === null || tokens >= NEAR * limit);
  }

  #isRight({ name, input, isCustom }: Call): boolean {
    if (isCustom) return true;
    const value = parseReceived(input === "" ? "{}" : input);
    const tool = this.#request.tools?.find((one) => one.type === "function" && one.function.name === name);
    if (!isObject(value) || tool?.type !== "function") return false;
    return matchesSchema(value, tool.function.parameters);
  }

  #signalOfJson(content: string): Signal | null {
    const format = this.#request.response_format;
    const value = parseReceived(content);
    if (value === undefined || (format?.type === "json_object" && !isObject(value))) return "not_json";
    return format?.type !== "json_schema" || matchesSchema(value, format.json_schema.schema)
      ? null
      : "breaks_schema";
  }
}

function asksJson({ response_format: format }: ChatRequest): boolean {
  return format?.type === "json_object" || format?.type === "json_schema";
}
