// A call as `fetch` sends it, but for its signal: the text of its body is made once, so that a signature can cover it.
import type { Outgoing } from "../core/dialect.ts";

const JSON_HEADERS = { "content-type": "application/json", "accept-encoding": "identity" };
/** The runtime names a form's type, with its boundary. */
const FORM_HEADERS = { "accept-encoding": "identity" };

export interface Prepared {
  readonly method: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData;
}

export function prepare({ headers, body, form }: Outgoing): Prepared {
  return {
    method: "POST",
    headers: { ...(form ? FORM_HEADERS : JSON_HEADERS), ...headers },
    body: form ?? JSON.stringify(body),
  };
}
