// Sends a request that isn't streamed: the answer or the error, the model and the time.

import { monotonicMs } from "../browser.ts";
import { callAdmin, describeError } from "../frame/api.ts";
import { placePlayground } from "../models/playground-key.tsx";
import type { Values } from "../parts/request-fields.ts";

/** An answer's counts and costs, by the names that the APIs use. */
type Count =
  | "prompt_tokens"
  | "completion_tokens"
  | "input_tokens"
  | "output_tokens"
  | "total_input_tokens"
  | "total_output_tokens"
  | "seconds";
export type AnswerSpending = Partial<Record<Count | "cost" | "charged", number>>;

export interface WithUsage {
  readonly usage?: AnswerSpending;
}

export interface PanelRequest {
  /** The path that clients call. */
  readonly path: string;
  /** The request's fields. A file makes the body a form. */
  readonly fields: Values;
  /** The fields that only this page sends, to show the answer. */
  readonly own?: Values | undefined;
  /** The output file in the curl example, if the answer isn't text. */
  readonly output?: string | undefined;
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

export function makeBody(fields: Values): FormData | Values {
  const given = Object.entries(fields);
  if (!given.some(([, value]) => value instanceof File)) return fields;
  const form = new FormData();
  for (const [name, value] of given)
    for (const one of Array.isArray(value) ? value : [value])
      form.append(Array.isArray(value) ? `${name}[]` : name, one instanceof File ? one : String(one));
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
    const response = await callAdmin(
      "POST",
      placePlayground(asked.path),
      makeBody({ ...asked.fields, ...asked.own }),
      {
        signal,
      },
    );
    const answer = await read(response);
    const model = response.headers.get("x-poundkey-model");
    return { answer, error: null, model, totalMs: monotonicMs() - startMs };
  } catch (thrown) {
    const error = signal.aborted ? null : describeError(thrown);
    return { answer: null, error, model: null, totalMs: monotonicMs() - startMs };
  }
}
