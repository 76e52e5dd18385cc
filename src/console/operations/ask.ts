// A request whose answer comes whole: the answer or why there is none, the model that gave it, and the time it took.
import { call, readMessage } from "../api.ts";
import { tickMs } from "../browser.ts";

/** A form as it is filled in. */
export type Values = Readonly<Record<string, string | File>>;

/** The counts and the money of an answer, under the names of the APIs. */
type Count = "prompt_tokens" | "completion_tokens" | "input_tokens" | "output_tokens" | "seconds";
export type Spent = Partial<Record<Count | "cost" | "charged", number>>;

export interface Counted {
  readonly usage?: Spent;
}

export interface Asked {
  /** The path at which clients ask for it. */
  readonly path: string;
  /** The request's fields; empty ones are left to the provider, and one that is a file makes it a form. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The fields as curl has them, where the page itself needs others. */
  readonly shown?: Asked["fields"];
  /** The file in which curl puts an answer that is no text. */
  readonly output?: string;
}

export interface Outcome<Answer> {
  /** null: it failed. */
  readonly answer: Answer | null;
  /** null with no answer: it was stopped. */
  readonly error: string | null;
  /** The model that answered, with its provider. */
  readonly model: string | null;
  readonly totalMs: number;
}

type Body = FormData | Readonly<Record<string, unknown>>;

export function makeBody(fields: Asked["fields"]): Body {
  const given = Object.entries(fields).filter(([, value]) => value !== "");
  if (!given.some(([, value]) => value instanceof File)) return Object.fromEntries(given);
  const form = new FormData();
  for (const [name, value] of given) form.append(name, value instanceof File ? value : String(value));
  return form;
}

/** Never throws. */
export async function askWhole<Answer>(
  asked: Asked,
  read: (response: Response) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Outcome<Answer>> {
  const startMs = tickMs();
  try {
    const response = await call("POST", `/playground${asked.path}`, makeBody(asked.fields), { signal });
    const answer = await read(response);
    const model = response.headers.get("x-poundkey-model");
    return { answer, error: null, model, totalMs: tickMs() - startMs };
  } catch (thrown) {
    const error = signal.aborted ? null : readMessage(thrown);
    return { answer: null, error, model: null, totalMs: tickMs() - startMs };
  }
}
