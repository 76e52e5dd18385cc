// Cohere v2's streamed and whole chat answers as chunks (Cohere API reference, "Chat" and "Chat with Streaming").

import type { Fault } from "../../core/faults/fault.ts";
import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";
import { makeCitation } from "../../operations/chat/answer/citations.ts";
import { foldChunks } from "../../operations/chat/answer/fold.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import { type FinishMeaning, makeFinish, markUnknown, readMeaning } from "../../operations/chat/finish.ts";
import type {
  ChatChunk,
  ChatReply,
  Citation,
  Delta,
  ReasoningDetail,
  Usage,
} from "../../operations/chat/form.ts";
import { explainEmbeddedError } from "../_chat/error.ts";
import { makeChunk, makeChunks, parseEvent } from "../_chat/event.ts";
import { makeUsage, parseCount, parseKnownCount, parseMainCounts } from "../_chat/usage.ts";

/** The format of thinking blocks in the content. */
export const THINKING_FORMAT = "cohere-v2-thinking";
/**
 * The format of `tool_plan`, the model's plan for its tools. It is a chain of thought, not an answer (Cohere, "Chat
 * API": "reflection and plan"), so the client gets it as reasoning, and it is sent back as the plan of that turn.
 */
export const PLAN_FORMAT = "cohere-v2-tool-plan";

const FINISH: ReadonlyMap<string, FinishMeaning> = new Map([
  ["COMPLETE", "stop"],
  ["STOP_SEQUENCE", "stop"],
  ["MAX_TOKENS", "length"],
  ["ERROR_LIMIT", "length"],
  ["TOOL_CALL", "tool_calls"],
  ["ERROR_TOXIC", "content_filter"],
  ["ERROR", "failed"],
  ["TIMEOUT", "failed"],
]);

export class CohereReader implements Decoder {
  readonly #thoughts = new Thoughts();
  #ended = false;

  get done(): boolean {
    return this.#ended;
  }

  push({ event, data }: ServerEvent): readonly ChatChunk[] {
    if (this.#ended || data === "[DONE]" || data.trim() === "") return [];
    const parsed = parseEvent(data);
    const type = asString(parsed.type) ?? event;
    if (type === "message-end") return [this.#end(asObject(parsed.delta))];
    const given = asObject(asObject(parsed.delta).message);
    const delta = this.#readDelta(type, given, asCount(parsed.index));
    if (delta) return [makeChunk(delta)];
    // An error has the form of an error answer: a message, and no known event.
    if (!isObject(parsed.delta) && asString(parsed.message)) throw explainEmbeddedError(parsed);
    return [];
  }

  /** `message-end` is the end: some gateways to Cohere send no `[DONE]` after it. */
  end(): readonly ChatChunk[] {
    if (!this.#ended) throw malformed("the stream ended before message-end");
    return [];
  }

  /** Reads a whole answer in the order of a stream. */
  reply(body: unknown): ChatReply {
    if (!isObject(body)) throw malformed("the answer is not a JSON object");
    if (!isObject(body.message)) throw explainEmbeddedError(body);
    const { content, tool_plan, tool_calls, citations } = body.message;
    const blocks = typeof content === "string" ? [{ text: content }] : asArray(content).map(asObject);
    const deltas = [
      ...blocks.map((block, index) => makeBlockDelta(block, index, this.#thoughts)),
      this.#readPlan(tool_plan),
      ...asArray(tool_calls).map((call, index) => makeCallDelta(call, index)),
      ...asArray(citations).map(makeCitationDelta),
    ];
    return foldChunks([...makeChunks(deltas.filter((one) => one !== null)), this.#end(body)]);
  }

  #readDelta(type: string, given: JsonObject, index: number): Delta | null {
    switch (type) {
      case "content-start":
      case "content-delta":
        return makeBlockDelta(asObject(given.content), index, this.#thoughts);
      case "tool-plan-delta":
        return this.#readPlan(given.tool_plan);
      case "tool-call-start":
      case "tool-call-delta":
        return makeCallDelta(given.tool_calls, index);
      case "citation-start":
        return makeCitationDelta(given.citations);
    }
    return null;
  }

  #readPlan(text: unknown): Delta | null {
    return this.#thoughts.delta("plan", PLAN_FORMAT, text);
  }

  #end(given: JsonObject): ChatChunk {
    const word = asString(given.finish_reason) ?? "";
    const means = word === "" ? "failed" : readMeaning(word, FINISH);
    if (means === "failed") throw explainFailure(given);
    this.#ended = true;
    const usage = isObject(given.usage) ? { usage: parseUsage(given.usage) } : {};
    const finish = markUnknown(makeFinish(means, word), word, FINISH);
    return { choices: [{ index: 0, delta: {}, ...finish }], ...usage };
  }
}

function explainFailure({ error, finish_reason: reason }: JsonObject): Fault {
  const type = reason === "TIMEOUT" ? "timeout_error" : undefined;
  return explainEmbeddedError({ message: asString(error) ?? String(reason), type });
}

/** The thinking in one answer: each block has its own index and is separated from the one before. */
class Thoughts {
  readonly #indexes = new Map<string, number>();

  /** `block` names the thinking block or plan of the text. */
  delta(block: string, format: string, text: unknown): Delta | null {
    if (typeof text !== "string" || text === "") return null;
    const known = this.#indexes.get(block);
    const index = known ?? this.#indexes.size;
    this.#indexes.set(block, index);
    const gap = known === undefined && index > 0 ? "\n\n" : "";
    const detail: ReasoningDetail = { type: "reasoning.text", text, format, index };
    return { reasoning_content: gap + text, reasoning_details: [detail] };
  }
}

/** Reads a block of the content or a piece of one: `{text}` or `{thinking}`. */
function makeBlockDelta(block: JsonObject, index: number, thoughts: Thoughts): Delta | null {
  if (typeof block.text === "string" && block.text !== "") return { content: block.text };
  return thoughts.delta(`content.${index}`, THINKING_FORMAT, block.thinking);
}

/** Reads a call or a piece of one: `{id,type,function:{name,arguments}}`. */
function makeCallDelta(value: unknown, index: number): Delta | null {
  if (!isObject(value)) return null;
  const fn = asObject(value.function);
  const id = asString(value.id);
  const name = asString(fn.name);
  const input = asString(fn.arguments) ?? "";
  const start = id === undefined ? {} : { id, type: "function" as const };
  return {
    tool_calls: [{ index, ...start, function: { ...(name ? { name } : {}), arguments: input } }],
  };
}

/**
 * Reads one citation or a list. Those of plans and thinking are ignored. Sources are the client's own tool results and
 * documents.
 */
function makeCitationDelta(value: unknown): Delta | null {
  const citations = (Array.isArray(value) ? value : [value]).filter(isObject);
  const annotations = citations
    .filter(({ type }) => type === undefined || type === "TEXT_CONTENT")
    .flatMap((citation) =>
      asArray(citation.sources).flatMap((source) => makeAnnotation(citation, asObject(source))),
    );
  return annotations.length > 0 ? { annotations } : null;
}

function makeAnnotation({ start, end }: JsonObject, source: JsonObject): readonly Citation[] {
  const { url, title, text, snippet, content, output } = asObject(source.document ?? source.tool_output);
  const passage = text ?? snippet ?? content ?? output;
  return makeCitation(asCount(start), asCount(end), { url, title, content: passage, document_id: source.id });
}

/**
 * `tokens` is what the model read and wrote, including Cohere's own preamble, with images counted separately.
 * `billed_units` is what Cohere bills, without the preamble. A malformed count is NaN.
 */
function parseUsage(given: JsonObject): Usage {
  const billed = asObject(given.billed_units);
  const tokens = isObject(given.tokens) ? given.tokens : billed;
  const [text, completion] = parseMainCounts(tokens.input_tokens, tokens.output_tokens);
  const prompt = text + parseCount(tokens.image_tokens);
  const cached = parseKnownCount(given.cached_tokens);
  const usage = makeUsage({
    prompt,
    completion,
    cached: cached === undefined ? undefined : Math.min(prompt, cached),
    reasoning: parseKnownCount(tokens.reasoning_tokens),
  });
  const billedPrompt = parseKnownCount(billed.input_tokens);
  const billedCompletion = parseKnownCount(billed.output_tokens);
  if (billedPrompt !== undefined || billedCompletion !== undefined) {
    usage.billed_units = {
      input_tokens: (billedPrompt ?? 0) + parseCount(billed.image_tokens),
      output_tokens: billedCompletion ?? 0,
    };
  }
  return usage;
}
