// One streamed answer in the playground: its text, usage and timing.
import type { ErrorBody } from "../../core/faults/fault.ts";
import type { Chunk, Usage } from "../../surfaces/openai-chat/answer-schema.ts";
import { monotonicMs } from "../browser.ts";
import { callAdmin, describeError, readEvents } from "../frame/api.ts";
import { placePlayground } from "./playground-key.tsx";

interface PlaygroundToolCall {
  readonly name: string;
  /** JSON, as far as it has arrived. */
  readonly arguments: string;
}

export interface Answer {
  readonly state: "waiting" | "streaming" | "done" | "stopped" | "failed";
  readonly text: string;
  readonly reasoning: string;
  /** Calls of the request's tools, in their order. */
  readonly calls: readonly PlaygroundToolCall[];
  /** The model that answered. */
  readonly model: string | null;
  readonly error: string | null;
  readonly firstTokenMs: number | null;
  readonly totalMs: number | null;
  readonly usage: Usage | null;
  readonly finish: string | null;
}

export const WAITING: Answer = {
  state: "waiting",
  text: "",
  reasoning: "",
  calls: [],
  model: null,
  error: null,
  firstTokenMs: null,
  totalMs: null,
  usage: null,
  finish: null,
};

/** A stream event: a part of the answer, or an error. */
type ChatEvent = Partial<Chunk & ErrorBody>;

/** Sends a request and reports every change until the answer ends. Never throws. */
export async function streamAnswer(
  body: object,
  stop: AbortSignal,
  onChange: (answer: Answer) => void,
): Promise<Answer> {
  const startMs = monotonicMs();
  let answer = WAITING;
  const set = (fields: Partial<Answer>) => {
    answer = { ...answer, ...fields };
    onChange(answer);
  };
  try {
    const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
    const response = await callAdmin("POST", placePlayground(""), streamed, { signal: stop });
    set({ model: response.headers.get("x-poundkey-model") });
    if (!response.body) throw new Error("The gateway sent an empty answer.");
    for await (const data of readEvents(response.body)) {
      if (data === "[DONE]") break;
      const chunk: ChatEvent = JSON.parse(data);
      if (chunk.error) throw new Error(chunk.error.message);
      set(makeChange(answer, chunk, monotonicMs() - startMs));
    }
    set({ state: "done", totalMs: monotonicMs() - startMs });
  } catch (error) {
    const totalMs = monotonicMs() - startMs;
    set(
      stop.aborted
        ? { state: "stopped", totalMs }
        : { state: "failed", totalMs, error: describeError(error) },
    );
  }
  return answer;
}

function makeChange(answer: Answer, chunk: ChatEvent, atMs: number): Partial<Answer> {
  const [choice] = chunk.choices ?? [];
  const text = choice?.delta?.content ?? "";
  const reasoning = choice?.delta?.reasoning_content ?? "";
  const isFirst =
    answer.firstTokenMs === null && (text !== "" || reasoning !== "" || choice?.delta?.tool_calls);
  return {
    ...(isFirst ? { state: "streaming", firstTokenMs: atMs } : {}),
    text: answer.text + text,
    reasoning: answer.reasoning + reasoning,
    calls: addCalls(answer.calls, choice?.delta?.tool_calls ?? []),
    model: chunk.model ?? answer.model,
    usage: chunk.usage ?? answer.usage,
    finish: choice?.finish_reason ?? answer.finish,
  };
}

type CallPart = NonNullable<Chunk["choices"][number]["delta"]["tool_calls"]>[number];

/** A call's name comes in its first part, its arguments piece by piece. */
function addCalls(
  calls: readonly PlaygroundToolCall[],
  parts: readonly CallPart[],
): readonly PlaygroundToolCall[] {
  const all = [...calls];
  for (const { index, function: made } of parts) {
    const before = all[index] ?? { name: "", arguments: "" };
    all[index] = {
      name: before.name + (made?.name ?? ""),
      arguments: before.arguments + (made?.arguments ?? ""),
    };
  }
  return all;
}

/** A shorter time says nothing about the speed. */
const MEASURED_FROM_MS = 250;

/** Returns the tokens per second while streaming. Null if it can't be computed. */
export function computeSpeed({ usage, firstTokenMs, totalMs }: Answer): number | null {
  if (!usage || firstTokenMs === null || totalMs === null) return null;
  if (totalMs - firstTokenMs < MEASURED_FROM_MS) return null;
  return usage.completion_tokens / ((totalMs - firstTokenMs) / 1000);
}
