// The results of lines: the text of each as its batch's form writes it.
import type { Batch } from "../core/batches/batch.ts";
import type { LineEnd } from "./lines.ts";
import type { JobPorts, LineResult } from "./ports.ts";
import type { EndedLine, RunningBlock } from "./running-block.ts";

/** The longest answer. */
const ANSWER_CHARACTERS_MAX = 32 * 1024 * 1024;

interface LineOf {
  readonly batch: Batch;
  readonly block: RunningBlock;
  readonly at: number;
}

type EndedResult = Omit<LineResult, "fault"> & Pick<EndedLine, "isUnanswered">;
type ResultPorts = Pick<JobPorts, "words" | "log">;

/** Ends a line with its answer, which fails it if it is too long. Returns the bytes of its result. */
export function answerLine(ports: ResultPorts, line: LineOf, result: EndedResult): number {
  const isTooLarge = result.body.length > ANSWER_CHARACTERS_MAX;
  return isTooLarge
    ? endOneLine(ports, line, "failed", { ...result, status: 502, body: TOO_LARGE })
    : endOneLine(ports, line, "completed", result);
}

/** Returns the bytes of its result. */
export function endOneLine(
  { words, log }: ResultPorts,
  { batch, block, at }: LineOf,
  end: LineEnd,
  result: EndedResult,
): number {
  const { requestId, status, body, costNanoUsd, chargedNanoUsd, isUnanswered = false } = result;
  const { customId = "" } = block.row.places[at] ?? {};
  const answer = { batchId: batch.id, line: block.countLine(at), customId, requestId, status, body };
  const isAnswered = end === "completed" || end === "failed";
  const text = isAnswered ? words[batch.surface].writeAnswer(answer) : "";
  block.end({ at, end, text, costNanoUsd, chargedNanoUsd, isUnanswered });
  log({ event: "batch_line", level: "debug", outcome: end, batch_id: batch.id });
  return Buffer.byteLength(text);
}

const TOO_LARGE = JSON.stringify({
  error: {
    message: "The answer to this line is longer than 32 MiB.",
    type: "api_error",
    param: null,
    code: "result_too_large",
  },
});
