// The grammar of emitted chunks that clients rely on: `start (content | reasoning | tool …)* finish usage?`.
import type { ChatChunk, ChunkChoice, ToolCallDelta } from "../../src/operations/chat/form.ts";

interface Seen {
  started: boolean;
  finished: boolean;
  calls: number;
}

/** Returns the violations. Empty for a well-formed stream. */
export function grammarFaults(chunks: readonly ChatChunk[]): string[] {
  const wrong: string[] = [];
  const choices = new Map<number, Seen>();
  for (const [position, chunk] of chunks.entries()) {
    if (chunk.usage && position !== chunks.length - 1) wrong.push("usage before the end");
    if (chunk.usage && chunk.choices.length > 0) wrong.push("usage beside choices");
    for (const choice of chunk.choices) {
      const seen = choices.get(choice.index) ?? { started: false, finished: false, calls: 0 };
      choices.set(choice.index, seen);
      wrong.push(...choiceFaults(choice, seen));
    }
  }
  if (choices.size === 0) wrong.push("no choice at all");
  for (const [index, seen] of choices) if (!seen.finished) wrong.push(`choice ${index} has no finish_reason`);
  return [...new Set(wrong)];
}

function choiceFaults(choice: ChunkChoice, seen: Seen): string[] {
  const { delta } = choice;
  const wrong: string[] = [];
  if (seen.finished) wrong.push("a chunk after the finish_reason");
  if (!seen.started && delta.role !== "assistant") wrong.push("the first delta has no role");
  if (seen.started && delta.role !== undefined) wrong.push("the role again");
  if (typeof delta.content !== "string" && delta.content !== null && delta.content !== undefined) {
    wrong.push("content is not a string");
  }
  for (const call of delta.tool_calls ?? []) wrong.push(...fragmentFaults(call, seen));
  seen.started = true;
  if (choice.finish_reason) seen.finished = true;
  return wrong;
}

function fragmentFaults(call: ToolCallDelta, seen: Seen): string[] {
  if (call.index > seen.calls) return [`tool index ${call.index} after ${seen.calls} calls`];
  const name = call.function?.name ?? call.custom?.name;
  if (call.index < seen.calls) {
    return name === undefined && call.id === undefined ? [] : ["a later fragment repeats id or name"];
  }
  seen.calls += 1;
  const whole =
    call.id && name && call.type && (call.function?.arguments ?? call.custom?.input) !== undefined;
  return whole ? [] : ["a first fragment lacks id, type, name or arguments"];
}
