// A call ready to be sent: its body is encoded once, so that a signature can cover it.

import { writeJson } from "../core/json/source.ts";
import type { Outgoing } from "../core/models/dialect.ts";
import type { NetworkRules } from "../core/world/network.ts";
import type { Fetch } from "../core/world/world.ts";
import { streamForm, type WrittenForm, writeForm } from "./multipart.ts";
import { SHORT_CHARACTERS, streamText } from "./text-stream.ts";

const JSON_HEADERS = { "content-type": "application/json", "accept-encoding": "identity" };

export interface PreparedRequest {
  readonly method: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | WrittenForm;
}

export function prepareRequest({ headers, body, form }: Outgoing): PreparedRequest {
  if (!form) return { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body: writeJson(body) };
  const written = writeForm(form);
  const own = { "content-type": written.type, "content-length": String(written.length) };
  return { method: "POST", headers: { ...JSON_HEADERS, ...headers, ...own }, body: written };
}

/** Returns the call for one attempt. If `fresh`, its connection is used for nothing else. */
export function toInit(
  { method, headers, body: given }: PreparedRequest,
  signal: AbortSignal,
  isFresh: boolean,
  network: NetworkRules | undefined,
): Parameters<Fetch>[1] & BunFetchRequestInit {
  const isLong = typeof given === "string" && given.length > SHORT_CHARACTERS;
  return {
    method,
    redirect: "manual",
    signal,
    timeout: false,
    decompress: false,
    keepalive: !isFresh,
    network,
    headers: isLong ? { ...headers, "content-length": String(Buffer.byteLength(given)) } : headers,
    body: typeof given === "string" && !isLong ? given : streamLong(given),
  };
}

function streamLong(given: PreparedRequest["body"]) {
  if (typeof given === "string") return streamText(given);
  return given instanceof Uint8Array ? given : streamForm(given);
}
