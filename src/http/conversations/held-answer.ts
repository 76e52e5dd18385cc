// A kept answer that is read again, whole or as the events of a stream.
import type { HttpPorts } from "../ports.ts";
import { createResponse, STREAM_HEADERS } from "../serve/answers.ts";
import { streamPieces } from "../serve/direct.ts";

/** The size that is left to the connection's own buffer. */
const SHORT_CHARACTERS = 262_144;

/** An answer as JSON, or as the events of a stream, which are made one by one. */
export interface HeldAnswer {
  readonly body: unknown;
  readonly events?: Iterable<string>;
}

/** Returns an answer that counts towards its owner's memory for bodies until it is read. */
export function createHeldResponse(
  { bodies }: HttpPorts,
  { signal }: Request,
  owner: string,
  { body, events }: HeldAnswer,
): Response {
  const text = JSON.stringify(body);
  const headers = events ? STREAM_HEADERS : {};
  const pieces = events ?? [text];
  if (text.length <= SHORT_CHARACTERS) return createResponse(200, [...pieces].join(""), headers);
  const held = bodies.reserve(owner, text.length);
  const release = () => held.release();
  // Losing the connection before the body is first read doesn't cancel the stream.
  signal.addEventListener("abort", release, { once: true });
  if (signal.aborted) release();
  return createResponse(200, streamPieces(pieces, release), headers);
}
