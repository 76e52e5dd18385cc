// The words in which providers say that one request has more tokens than they take at all, such as in a minute. Their
// status is that of a busy server, but the same request fails at any later time, so that waiting for it never ends.

interface OversizeRow {
  /** The status with which it was reported. */
  readonly status: number;
  /** If it has the groups `limit` and `asked`, only what is asked beyond the limit is too large. */
  readonly says: RegExp;
  /** The message as it was reported. */
  readonly example: string;
  readonly source: string;
  /** The day of the report, or the day on which the source was read. */
  readonly date: string;
}

/** Errors within an answer have a status that their code stands for, so it isn't always the one of the row. */
const STATUSES: ReadonlySet<number> = new Set([400, 413, 422, 429]);

export const OVERSIZE_ROWS: readonly OversizeRow[] = [
  {
    status: 429,
    says: /tokens per min(ute)? \(TPM\): +limit (?<limit>\d+),( used \d+,)? requested (?<asked>\d+)/i,
    example:
      "Request too large for gpt-5.4 in organization org-AbCdEf123456 on tokens per min (TPM): Limit 30000, Requested 140000. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.",
    source: "OpenAI, github.com/continuedev/continue/issues/10602",
    date: "2026-02-17",
  },
  {
    status: 413,
    says: /request too large for model .* on tokens per (minute|day)/i,
    example:
      "Request too large for model `llama-3.3-70b-versatile` in organization `org_01abcdefgh` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 7128, please reduce your message size and try again.",
    source: "Groq, github.com/continuedev/continue/issues/10218",
    date: "2026-02-05",
  },
  {
    status: 413,
    says: /tokens_limit_reached|request body too large for .* model\. max size: \d+ tokens/i,
    example: "Request body too large for gpt-4.1 model. Max size: 8000 tokens.",
    source: "GitHub Models, github.com/tashfeenahmed/freellmapi/issues/426",
    date: "2026-06-30",
  },
];

/** `words` are the error's codes and the parts of its message outside quotes. */
export function isOversize(status: number, words: string): boolean {
  return STATUSES.has(status) && OVERSIZE_ROWS.some(({ says }) => isSaid(says.exec(words)));
}

function isSaid(found: RegExpExecArray | null): boolean {
  if (found === null) return false;
  const { limit, asked } = found.groups ?? {};
  return limit === undefined || Number(asked) > Number(limit);
}
