// The lines of a batch's results, in each form.
import type { BatchForm } from "../core/batches/batch.ts";
import { writeJsonLine } from "../core/json/json-line.ts";

/** An answer to a line, with its body as JSON. */
interface WrittenLineAnswer {
  readonly batchId: string;
  /** From 1. */
  readonly line: number;
  readonly customId: string;
  readonly requestId: string;
  readonly status: number;
  readonly body: string;
}

/** The ends of lines that have no answer. */
type UnansweredEnd = "cancelled" | "expired" | "unpaid";

/** A line that has no answer. */
type WrittenUnansweredLine = Pick<WrittenLineAnswer, "batchId" | "line" | "customId"> & {
  readonly end: UnansweredEnd;
};

interface ResultForm {
  /** Returns a line with its end. */
  writeAnswer(answer: WrittenLineAnswer): string;
  writeUnanswered(line: WrittenUnansweredLine): string;
}

const REASONS = {
  cancelled: { code: "batch_cancelled", message: "The batch was cancelled before this line was answered." },
  expired: { code: "batch_expired", message: "The batch's window ended before this line was answered." },
  unpaid: {
    code: "max_cost_reached",
    message: "What is left of the batch's x-poundkey-max-cost doesn't cover this line.",
  },
} as const;

const OPENAI: ResultForm = {
  writeAnswer({ batchId, line, customId, requestId, status, body }) {
    const id = JSON.stringify(nameResult(batchId, line));
    const response = `{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":${body}}`;
    return writeJsonLine(
      `{"id":${id},"custom_id":${JSON.stringify(customId)},"response":${response},"error":null}`,
    );
  },
  writeUnanswered({ batchId, line, customId, end }) {
    const id = nameResult(batchId, line);
    return writeJsonLine(JSON.stringify({ id, custom_id: customId, response: null, error: REASONS[end] }));
  },
};

function nameResult(batchId: string, line: number): string {
  return `batch_req_${batchId.replace(/^[a-z]*_/, "")}_${line}`;
}

const ANTHROPIC: ResultForm = {
  writeAnswer({ customId, requestId, status, body }) {
    const result =
      status < 400
        ? `{"type":"succeeded","message":${body}}`
        : `{"type":"errored","error":${addRequestId(body, requestId)}}`;
    return writeJsonLine(`{"custom_id":${JSON.stringify(customId)},"result":${result}}`);
  },
  writeUnanswered({ customId, end }) {
    return writeJsonLine(JSON.stringify({ custom_id: customId, result: ENDS[end] }));
  },
};

const ENDS = {
  cancelled: { type: "canceled" },
  expired: { type: "expired" },
  unpaid: {
    type: "errored",
    error: {
      type: "error",
      error: { type: "billing_error", message: REASONS.unpaid.message },
      request_id: null,
    },
  },
} as const;

/** The error of a message names its request already. */
function addRequestId(body: string, requestId: string): string {
  return body.includes('"request_id"')
    ? body
    : `${body.slice(0, -1)},"request_id":${JSON.stringify(requestId)}}`;
}

export const RESULT_FORMS: Readonly<Record<BatchForm, ResultForm>> = {
  "openai-batches": OPENAI,
  "anthropic-batches": ANTHROPIC,
};
