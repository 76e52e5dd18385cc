// Streams of chat as the cache keeps and repeats them: a provider's own events as they came, others as a model would send
// them.
import { asArray, asString, isObject } from "../../core/json/json.ts";
import type { Keeping } from "../folding.ts";
import { unfold } from "./answer/fold.ts";
import { hasChoices, isChunk, type Part, Verbatim } from "./answer/run.ts";
import type { ChatForm } from "./decoder.ts";
import type { ChatChunk, Delta, ToolCallDelta } from "./form.ts";

/** About twenty tokens. */
const PIECE_CHARACTERS = 80;
/** Not within a pair of UTF-16 halves. */
const PIECES = new RegExp(`.{1,${PIECE_CHARACTERS}}`, "gsu");

export const KEEPING: Keeping<Pick<ChatForm, "piece" | "reply">> = {
  native: { write: (parts) => parts.flatMap(writePart), read: (kept) => kept.map(readPart) },
  takeApart: (reply) => unfold(reply).flatMap(splitChunk),
};

/** Events are kept as lists of their type and data, chunks as objects. */
function writePart(part: Part): readonly unknown[] {
  if (part instanceof Verbatim) return [[part.event.event, part.event.data]];
  if (isChunk(part)) return [part];
  const { shown } = part;
  return shown === null ? part.chunks() : shown.data.map((data) => [shown.type, data]);
}

function readPart(kept: unknown): Part {
  if (hasChoices(kept)) return kept;
  const [event, data] = asArray(kept);
  // It was counted when it was new.
  return new Verbatim({ event: asString(event) ?? "", data: asString(data) ?? "" }, []);
}

/** Splits a chunk that has a long text into chunks with a piece of it each. */
function splitChunk(chunk: ChatChunk): readonly ChatChunk[] {
  const [choice, ...others] = chunk.choices;
  if (choice === undefined || others.length > 0 || choice.logprobs) return [chunk];
  const { delta, finish_reason, ...rest } = choice;
  const deltas = splitDelta(delta);
  if (deltas.length < 2) return [chunk];
  const { index } = choice;
  const pieces = deltas.map((one) => ({ ...chunk, choices: [{ index, delta: one, finish_reason: null }] }));
  return [...pieces, { ...chunk, choices: [{ ...rest, delta: {}, finish_reason }] }];
}

/** In the order in which a model writes: thinking, text, calls. All other fields go along with the end. */
function splitDelta(delta: Delta): readonly Delta[] {
  const { role, content, reasoning_content, tool_calls = [], ...rest } = delta;
  const thoughts = cut(reasoning_content).map((text): Delta => ({ reasoning_content: text }));
  const texts = cut(content).map((text): Delta => ({ content: text }));
  const calls = tool_calls.flatMap(splitCall).map((call): Delta => ({ tool_calls: [call] }));
  const { reasoning_details, web_searches, ...others } = rest;
  const before = [
    ...(reasoning_details?.length ? [{ reasoning_details }] : []),
    ...(web_searches?.length ? [{ web_searches }] : []),
  ];
  const isEmpty = Object.values(others).every((value) => value === null || value === undefined);
  return [
    ...(role ? [{ role }] : []),
    ...thoughts,
    ...before,
    ...texts,
    ...calls,
    ...(isEmpty ? [] : [others]),
  ];
}

function cut(text: string | null | undefined): readonly string[] {
  return text?.match(PIECES) ?? [];
}

function splitCall(call: ToolCallDelta): readonly ToolCallDelta[] {
  const { index } = call;
  if (isObject(call.custom)) {
    const [first = "", ...more] = cut(call.custom.input);
    return [
      { ...call, custom: { ...call.custom, input: first } },
      ...more.map((input) => ({ index, custom: { input } })),
    ];
  }
  const [first = "", ...more] = cut(call.function?.arguments);
  return [
    { ...call, function: { ...call.function, arguments: first } },
    ...more.map((text) => ({ index, function: { arguments: text } })),
  ];
}
