// OpenAI's deprecated `functions`: requests that offer them are answered with `function_call`.

import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import { listChunks, type Part } from "../../operations/chat/answer/run.ts";
import type {
  ChatChunk,
  ChatReply,
  ChunkChoice,
  Delta,
  ReplyChoice,
  Usage,
} from "../../operations/chat/form.ts";

/** True if a body offers functions in the deprecated form. They are ignored if it has `tools`. */
export function offersFunctions(body: unknown): boolean {
  const { tools, functions } = asObject(body);
  return asArray(tools).length === 0 && asArray(functions).length > 0;
}

/** Returns a whole answer with its call in the deprecated form, which holds only one. */
export function withFunctionCall(reply: ChatReply): JsonObject {
  return { ...reply, choices: reply.choices.map(writeChoice) };
}

function writeChoice(choice: ReplyChoice): JsonObject {
  const { tool_calls: calls, ...message } = choice.message;
  const [call] = calls ?? [];
  if (call?.type !== "function") return choice;
  const { name, arguments: text } = call.function;
  return {
    ...choice,
    message: { ...message, function_call: { name, arguments: text } },
    finish_reason: renameFinish(choice.finish_reason),
  };
}

/** A chunk as a client sees it. */
export interface ShownChunk extends JsonObject {
  readonly choices: readonly JsonObject[];
  readonly usage?: Usage;
}

/** Returns a streamed answer's chunks in the deprecated form. Pieces of later calls are dropped. */
export function withFunctionCalls(parts: readonly Part[]): readonly ShownChunk[] {
  return listChunks(parts).flatMap(chunkWithCall);
}

function chunkWithCall(chunk: ChatChunk): readonly ShownChunk[] {
  const choices = chunk.choices.map(pieceWithCall).filter((choice) => choice !== null);
  return choices.length === 0 && chunk.choices.length > 0 ? [] : [{ ...chunk, choices }];
}

function pieceWithCall(choice: ChunkChoice): JsonObject | null {
  const delta = deltaWithCall(choice.delta);
  if (choice.finish_reason !== null)
    return { ...choice, delta, finish_reason: renameFinish(choice.finish_reason) };
  return Object.keys(delta).length === 0 ? null : { ...choice, delta };
}

function deltaWithCall(delta: Delta): JsonObject {
  const { tool_calls: fragments, ...rest } = delta;
  const made = fragments?.find(({ index }) => index === 0)?.function;
  return made === undefined ? rest : { ...rest, function_call: made };
}

function renameFinish(reason: string): string {
  return reason === "tool_calls" ? "function_call" : reason;
}
