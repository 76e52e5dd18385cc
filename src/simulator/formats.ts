// Formats that several dialects share: server-sent events, errors as JSON, keys and base64.
import type { Problem } from "./problem.ts";
import type { ErrorAnswer, Incoming } from "./types.ts";

/** Renders a server-sent event without a name. */
export function renderDataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** Renders a server-sent event with a name. */
export function renderNamedEvent(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Returns the key of `Authorization: Bearer …`, or undefined if there is none. */
export function readBearer(headers: Incoming["headers"]): string | undefined {
  const match = /^Bearer (\S.*)$/i.exec(headers.authorization ?? "");
  return match?.[1];
}

/** Renders an error as JSON, with a `retry-after` if the problem has a delay. `status` applies unless the problem has its own. */
export function renderJsonError(
  problem: Problem,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): ErrorAnswer {
  const { retryAfterSeconds: seconds } = problem;
  const wait: Record<string, string> =
    seconds === undefined ? {} : { "retry-after": String(Math.ceil(seconds)) };
  return {
    status: problem.status ?? status,
    headers: { "content-type": "application/json", ...headers, ...wait },
    body: JSON.stringify(body),
  };
}

/** Returns the number of bytes that base64 text encodes. */
export function countBase64Bytes(data: string): number {
  return Math.floor((data.replace(/=+$/, "").length * 3) / 4);
}
