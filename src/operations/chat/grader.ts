// Grades a chat answer by signals of its own quality: refused, cut off, not the JSON asked for, or calls that can't be made.

import { parseBounded, RECEIVED_SHAPE } from "../../core/json/bounds.ts";
import { isObject } from "../../core/json/json.ts";
import { listChunks, type Part, Run } from "./answer/run.ts";
import { type ChatRequest, type ChunkChoice, readOutputLimit } from "./form.ts";
import { matchesSchema } from "./json-schema.ts";

export type Signal = "refused" | "cut_off" | "not_json" | "breaks_schema" | "bad_arguments";

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

/** Grades one answer from its parts. Keeps texts only if JSON or tools were requested. */
export class Grader {
  readonly #request: ChatRequest;
  /** True if texts are kept, not only the finish reason. */
  readonly #keepsTexts: boolean;
  readonly #choices = new Map<number, Choice>();
  #characters = 0;

  constructor(request: ChatRequest) {
    this.#request = request;
    this.#keepsTexts = asksJson(request) || (request.tools?.length ?? 0) > 0;
  }

  add(parts: readonly Part[]): void {
    // A run only continues a text.
    const read = this.#keepsTexts ? parts : parts.filter((part) => !(part instanceof Run));
    for (const { choices } of listChunks(read)) for (const choice of choices) this.#addChoice(choice);
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
    if (!this.#keepsTexts || this.#characters > CHARACTERS_MAX) return;
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
    return this.#keepsTexts ? "tools" : "text";
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
    const value = parseBounded(input === "" ? "{}" : input, RECEIVED_SHAPE);
    const tool = this.#request.tools?.find((one) => one.type === "function" && one.function.name === name);
    if (!isObject(value) || tool?.type !== "function") return false;
    return matchesSchema(value, tool.function.parameters);
  }

  #signalOfJson(content: string): Signal | null {
    const format = this.#request.response_format;
    const value = parseBounded(content, RECEIVED_SHAPE);
    if (value === undefined || (format?.type === "json_object" && !isObject(value))) return "not_json";
    return format?.type !== "json_schema" || matchesSchema(value, format.json_schema.schema)
      ? null
      : "breaks_schema";
  }
}

function asksJson({ response_format: format }: ChatRequest): boolean {
  return format?.type === "json_object" || format?.type === "json_schema";
}
