// The answer to a request to compact: a model's summary as the one item of a response, whole and as events.
import { Fault } from "../../../core/faults/fault.ts";
import { asArray, type JsonObject } from "../../../core/json/json.ts";
import { listChunks, type Part } from "../../../operations/chat/answer/run.ts";
import type { ChatChunk, ChatReply, Usage } from "../../../operations/chat/form.ts";
import { joinText } from "../../../operations/chat/prompt/content-text.ts";
import { KEEP_ALIVE_LINE } from "../../event-stream.ts";
import type { Stamp, Writer } from "../../surface.ts";
import { writeFailure } from "../errors.ts";
import { EventNumbers } from "../event-numbers.ts";
import { endResponse, makeItemId, type ResponseContext, startResponse } from "../response.ts";
import { makeSummaryItem } from "./summary.ts";

/** Returns the whole response. Throws the Fault `upstream_error` if the model wrote no summary. */
export function writeCompaction(reply: ChatReply, stamp: Stamp, context: ResponseContext): JsonObject {
  const summary = joinText(reply.choices[0]?.message.content);
  return endCompaction(startResponse(context, stamp), summary, stamp, context, reply.usage);
}

function endCompaction(
  started: JsonObject,
  summary: string,
  { id, model }: Stamp,
  { seal }: ResponseContext,
  usage: Usage | undefined,
): JsonObject {
  if (summary.trim() === "")
    throw new Fault("upstream_error", `${model} wrote no summary of the conversation.`);
  return endResponse(started, [makeSummaryItem(makeItemId("cmp", id, 0), seal, summary)], "stop", usage);
}

export class CompactionWriter implements Writer<Part> {
  readonly keepAlive = KEEP_ALIVE_LINE;
  readonly #stamp: () => Stamp;
  readonly #context: ResponseContext;
  readonly #numbers = new EventNumbers();
  #stamped: Stamp | null = null;
  #started: JsonObject | null = null;
  #summary = "";
  #usage: Usage | null = null;
  #response: JsonObject | null = null;

  constructor(stamp: () => Stamp, context: ResponseContext) {
    this.#stamp = stamp;
    this.#context = context;
  }

  write(parts: readonly Part[]): string {
    let text = "";
    for (const chunk of listChunks(parts)) text += this.#take(chunk);
    return text;
  }

  finish(): JsonObject {
    this.#response ??= endCompaction(
      this.#started ?? startResponse(this.#context, this.#stampOnce()),
      this.#summary,
      this.#stampOnce(),
      this.#context,
      this.#usage ?? undefined,
    );
    return this.#response;
  }

  end(): string {
    const started = this.#start();
    try {
      const response = this.finish();
      const [item] = asArray(response.output);
      const done = this.#numbers.write("response.output_item.done", { output_index: 0, item });
      return started + done + this.#numbers.write("response.completed", { response });
    } catch (thrown) {
      if (thrown instanceof Fault) return started + this.fail(thrown);
      throw thrown;
    }
  }

  fail(fault: Fault): string {
    const started = this.#start();
    const response = { ...this.#started, status: "failed", error: writeFailure(fault), output: [] };
    return started + this.#numbers.write("response.failed", { response });
  }

  #take({ choices, usage }: ChatChunk): string {
    if (usage) this.#usage = usage;
    if (choices.length === 0) return "";
    for (const { delta } of choices) this.#summary += delta.content ?? "";
    return this.#start();
  }

  #stampOnce(): Stamp {
    this.#stamped ??= this.#stamp();
    return this.#stamped;
  }

  /** The summary is never shown in clear, so its events only say that it is being written. */
  #start(): string {
    if (this.#started !== null) return "";
    const stamp = this.#stampOnce();
    const response = startResponse(this.#context, stamp);
    this.#started = response;
    const id = makeItemId("cmp", stamp.id, 0);
    const item = { id, type: "compaction", encrypted_content: "" };
    return [
      this.#numbers.write("response.created", { response }),
      this.#numbers.write("response.in_progress", { response }),
      this.#numbers.write("response.output_item.added", { output_index: 0, item }),
      this.#numbers.write("response.compaction.compacting", { item_id: id, output_index: 0 }),
    ].join("");
  }
}
