// Answers whose call was cut off end as cut: some servers (vLLM, issue 53269) say `tool_calls` also where the limit ended it.
import { JsonBudget } from "../../core/json/bounds.ts";
import { type Part, Run, Verbatim } from "../../operations/chat/answer/run.ts";
import type { ChatChunk, ChatReply, ChunkChoice, Finish } from "../../operations/chat/form.ts";
import { mapList } from "../../operations/text-json.ts";
import { isCutCall, isUsualEnd } from "../close-json.ts";
import type { Writer } from "../surface.ts";

/** The provider's own word stays beside it. */
function endAsCut<Choice extends Pick<Finish, "native_finish_reason">>(choice: Choice, said: string): Choice {
  return { ...choice, finish_reason: "length", native_finish_reason: choice.native_finish_reason ?? said };
}

/** Returns the same answer if none of its calls was cut off. */
export function endCutCalls(reply: ChatReply): ChatReply {
  const json = new JsonBudget();
  const choices = mapList(reply.choices, (choice) => {
    const isCut = choice.message.tool_calls?.some(
      (call) => call.type === "function" && isCutCall(call.function.arguments, json),
    );
    return isCut && isUsualEnd(choice) ? endAsCut(choice, choice.finish_reason) : choice;
  });
  return choices === reply.choices ? reply : { ...reply, choices };
}

/** Does the same for the answer that a writer gets part by part. */
export function endCutStream(writer: Writer<Part>): Writer<Part> {
  const calls = new CutCalls();
  return { ...writer, write: (parts) => writer.write(calls.read(parts)) };
}

class CutCalls {
  /** The arguments so far, by choice and call. */
  readonly #arguments = new Map<number, Map<number, string>>();

  /** Returns the same parts if none of them ends a cut call. */
  read(parts: readonly Part[]): readonly Part[] {
    return mapList(parts, (part) => this.#readPart(part));
  }

  #readPart(part: Part): Part {
    if (part instanceof Verbatim) return part;
    if (!(part instanceof Run)) return this.#readChunk(part);
    if (part.callCharacters > 0) this.#readChunk(part.joined());
    return part;
  }

  #readChunk(chunk: ChatChunk): ChatChunk {
    const choices = mapList(chunk.choices, (choice) => this.#readChoice(choice));
    return choices === chunk.choices ? chunk : { ...chunk, choices };
  }

  #readChoice(choice: ChunkChoice): ChunkChoice {
    const { index, delta, finish_reason: reason } = choice;
    for (const call of delta.tool_calls ?? []) this.#add(index, call.index, call.function?.arguments ?? "");
    if (reason === null || !isUsualEnd({ finish_reason: reason }) || !this.#isCut(index)) return choice;
    return endAsCut(choice, reason);
  }

  #add(choice: number, call: number, text: string): void {
    const calls = this.#arguments.getOrInsertComputed(choice, makeCalls);
    calls.set(call, (calls.get(call) ?? "") + text);
  }

  #isCut(choice: number): boolean {
    const json = new JsonBudget();
    return [...(this.#arguments.get(choice)?.values() ?? [])].some((text) => isCutCall(text, json));
  }
}

const makeCalls = () => new Map<number, string>();
