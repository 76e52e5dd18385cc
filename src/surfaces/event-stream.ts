// The framing of server-sent events for clients.

/** An event without a name. `json` holds no line break. */
export function dataLine(json: string): string {
  return `data: ${json}\n\n`;
}

/** An event whose name clients dispatch on. `json` holds no line break. */
export function namedEvent(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

/** A comment: every parser skips it, and it keeps the connection alive. */
export const KEEP_ALIVE_LINE = ": keep-alive\n\n";
