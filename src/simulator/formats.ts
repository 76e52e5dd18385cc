// Formats that several dialects share: server-sent events, Retry-After, bearer tokens and base64.
import type { Problem } from "./problem.ts";
import type { Incoming } from "./types.ts";

/** Renders a server-sent event without a name. */
export function renderDataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** Renders a server-sent event with a name. */
export function renderNamedEvent(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Renders a server-sent event whose data repeats its name. */
export function renderTypedEvent(type: string, fields: object): string {
  return renderNamedEvent(type, { type, ...fields });
}

/** Returns the key from `Authorization: Bearer …`, or undefined if there is none. */
export function readBearer(headers: Incoming["headers"]): string | undefined {
  const match = /^Bearer (\S.*)$/i.exec(headers.authorization ?? "");
  return match?.[1];
}

/** Returns the `retry-after` header if the problem has a delay. */
export function renderWait({ retryAfterSeconds: seconds }: Problem): Readonly<Record<string, string>> {
  return seconds === undefined ? {} : { "retry-after": String(Math.ceil(seconds)) };
}

/** Returns the number of bytes in base64 text. */
export function countBase64Bytes(data: string): number {
  return Math.floor((data.replace(/=+$/, "").length * 3) / 4);
}
