// A call as it is sent, but for its signal: its body is made once, so that a signature can cover it.
import type { Outgoing } from "../core/dialect.ts";
import { streamForm, type WrittenForm, writeForm } from "./multipart.ts";

const JSON_HEADERS = { "content-type": "application/json", "accept-encoding": "identity" };

export interface Prepared {
  readonly method: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | WrittenForm;
}

export function prepare({ headers, body, form }: Outgoing): Prepared {
  if (!form) return { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
  const written = writeForm(form);
  const own = { "content-type": written.type, "content-length": String(written.length) };
  return { method: "POST", headers: { ...JSON_HEADERS, ...headers, ...own }, body: written };
}

/** Returns the call for one attempt to send it. */
export function toInit({ method, headers, body }: Prepared): RequestInit {
  return { method, headers, body: typeof body === "string" ? body : streamForm(body) };
}
