// Formats that several dialects share: server-sent events, the wait after an error, keys and base64.
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

/** Renders a server-sent event whose data repeat its name. */
export function renderTypedEvent(type: string, fields: object): string {
  return renderNamedEvent(type, { type, ...fields });
}

/** Returns the key of `Authorization: Bearer …`, or undefined if there is none. */
export function readBearer(headers: Incoming["headers"]): string | undefined {
  const match = /^Bearer (\S.*)$/i.exec(headers.authorization ?? "");
  return match?.[1];
}

/** Returns the header `retry-after` of a problem that has a delay. */
export function renderWait({ retryAfterSeconds: seconds }: Problem): Readonly<Record<string, string>> {
  return seconds === undefined ? {} : { "retry-after": String(Math.ceil(seconds)) };
}

/** Returns the number of bytes that base64 text encodes. */
export function countBase64Bytes(data: string): number {
  return Math.floor((data.replace(/=+$/, "").length * 3) / 4);
}
