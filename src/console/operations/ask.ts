// Sends a request that isn't streamed: the answer or the error, the model and the time.
import { call, describeError } from "../api.ts";
import { monotonicMs } from "../browser.ts";

/** A form's values. */
export type Values = Readonly<Record<string, string | File>>;

/** An answer's counts and costs, by the names that the APIs use. */
type Count = "prompt_tokens" | "completion_tokens" | "input_tokens" | "output_tokens" | "seconds";
export type Spending = Partial<Record<Count | "cost" | "charged", number>>;

export interface WithUsage {
  readonly usage?: Spending;
}

export interface PanelRequest {
  /** The path that clients call. */
  readonly path: string;
  /** The request's fields. Empty ones are omitted; a file makes the body a form. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The fields shown in the curl example. Missing if they are the same. */
  readonly shown?: PanelRequest["fields"];
  /** The output file in the curl example, if the answer isn't text. */
  readonly output?: string;
}

export interface Outcome<Answer> {
  /** Null if the request failed or was stopped. */
  readonly answer: Answer | null;
  /** Null if the request succeeded or was stopped. */
  readonly error: string | null;
  /** The model that answered, with its provider. Null if unknown. */
  readonly model: string | null;
  readonly totalMs: number;
}

type Body = FormData | Readonly<Record<string, unknown>>;

export function makeBody(fields: PanelRequest["fields"]): Body {
  const given = Object.entries(fields).filter(([, value]) => value !== "");
  if (!given.some(([, value]) => value instanceof File)) return Object.fromEntries(given);
  const form = new FormData();
  for (const [name, value] of given) form.append(name, value instanceof File ? value : String(value));
  return form;
}

/** Never throws. */
export async function sendRequest<Answer>(
  asked: PanelRequest,
  read: (response: Response) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Outcome<Answer>> {
  const startMs = monotonicMs();
  try {
    const response = await call("POST", `/playground${asked.path}`, makeBody(asked.fields), { signal });
    const answer = await read(response);
    const model = response.headers.get("x-poundkey-model");
    return { answer, error: null, model, totalMs: monotonicMs() - startMs };
  } catch (thrown) {
    const error = signal.aborted ? null : describeError(thrown);
    return { answer: null, error, model: null, totalMs: monotonicMs() - startMs };
  }
}
