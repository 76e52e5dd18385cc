// An answer as an interaction: its state, its usage, and its steps.
import type { JsonObject } from "../../core/json/json.ts";
import { omitUndefined } from "../../core/json/json.ts";
import { unfold } from "../../operations/chat/answer/fold.ts";
import type { ChatReply, FinishReason, Usage } from "../../operations/chat/form.ts";
import { endAsCut } from "../close-json.ts";
import { writeCost } from "../cost.ts";
import type { Stamp } from "../surface.ts";
import { type StepOptions, StepWriter } from "./step-writer.ts";

/** The facts of a request that its answer depends on. */
export interface InteractionContext extends StepOptions {
  /** The interaction that it goes on from. Undefined if there is none. */
  readonly previousId: string | undefined;
}

/** The end of an answer. */
interface InteractionEnd {
  readonly reason: FinishReason;
  readonly writer: Pick<StepWriter, "hasCalls" | "isCut">;
  readonly usage: Usage | undefined;
}

const MESSAGES: Partial<Readonly<Record<FinishReason, readonly [code: string, message: string]>>> = {
  length: ["max_output_tokens", "The answer was cut off at the output limit."],
  content_filter: ["content_filter", "The answer was ended by a content filter."],
};

/** Returns the interaction as it begins. */
export function beginInteraction({ id, created, model }: Stamp): JsonObject {
  const time = new Date(created * 1000).toISOString();
  return { id, object: "interaction", model, status: "in_progress", created: time, updated: time };
}

/** Returns the interaction as it ended, without its steps. */
export function endInteraction(
  stamp: Stamp,
  { previousId }: InteractionContext,
  { reason: given, writer, usage }: InteractionEnd,
): JsonObject {
  const { finish_reason: reason } = endAsCut({ finish_reason: given }, writer.isCut);
  const cause = MESSAGES[reason];
  const status = cause ? "incomplete" : writer.hasCalls ? "requires_action" : "completed";
  return omitUndefined({
    ...beginInteraction(stamp),
    status,
    usage: writeUsage(usage),
    previous_interaction_id: previousId,
    errors: cause && [{ code: cause[0], message: cause[1] }],
  });
}

/** `total_output_tokens` excludes thinking. The total is the sum of all but the cached ones, which are part of the input. */
function writeUsage(usage: Usage | undefined): JsonObject {
  const completion = usage?.completion_tokens ?? 0;
  const input = usage?.prompt_tokens ?? 0;
  const thoughts = Math.min(completion, usage?.completion_tokens_details?.reasoning_tokens ?? 0);
  const searches = usage?.server_tool_use?.web_search_requests ?? 0;
  return {
    total_input_tokens: input,
    total_cached_tokens: Math.min(input, usage?.prompt_tokens_details?.cached_tokens ?? 0),
    total_output_tokens: completion - thoughts,
    total_thought_tokens: thoughts,
    total_tool_use_tokens: 0,
    total_tokens: input + completion,
    ...(searches > 0 ? { grounding_tool_count: [{ type: "google_search", count: searches }] } : {}),
    ...writeCost(usage),
  };
}

/** Returns a whole answer: what its stream would add up to. */
export function writeInteraction(reply: ChatReply, stamp: Stamp, context: InteractionContext): JsonObject {
  const writer = new StepWriter(context, ignore);
  for (const { choices } of unfold(reply)) for (const { delta } of choices) writer.write(delta);
  writer.end();
  const reason = reply.choices[0]?.finish_reason ?? "stop";
  return {
    ...endInteraction(stamp, context, { reason, writer, usage: reply.usage }),
    steps: writer.list(),
  };
}

function ignore(): void {
  // A whole answer has no events.
}
