// The headers of a turn: those of its connection's handshake, and its own.
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";

/** Headers that a turn may send beside its handshake's. */
const OWN =
  /^(x-poundkey-[a-z0-9-]{1,64}|cache-control|traceparent|session-id|x-session-affinity|idempotency-key)$/;
/** Headers of the handshake that say nothing about a turn. */
const HANDSHAKE = [
  "connection",
  "upgrade",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-extensions",
  "sec-websocket-protocol",
  "idempotency-key",
  "x-request-id",
];

/** Returns those of a handshake that hold for all of its turns. */
export function makeSharedHeaders(handshake: Headers): Headers {
  const headers = new Headers(handshake);
  for (const name of HANDSHAKE) headers.delete(name);
  return headers;
}

/**
 * Returns the headers of a turn: the same ones if it sends none. Throws the Fault `invalid_value` for another name, and for a
 * value that isn't a text.
 */
export function addTurnHeaders(shared: Headers, { headers: given }: JsonObject): Headers {
  const own = Object.entries(asObject(given));
  if (own.length === 0) return shared;
  const headers = new Headers(shared);
  for (const [name, value] of own) {
    const text = asString(value);
    if (text === undefined || !OWN.test(name.toLowerCase()) || /[^\t\x20-\x7e]/.test(text)) {
      const most =
        "x-poundkey-…, cache-control, traceparent, session-id, x-session-affinity, idempotency-key";
      throw invalidValue("headers", `expected texts under these names: ${most}`);
    }
    headers.set(name, text);
  }
  return headers;
}
