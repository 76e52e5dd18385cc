// Reads a client's message: bytes within bounds, then JSON, then JSON-RPC.
import { Fault } from "../../core/faults/fault.ts";
import { hasBoundedShape, parseExactBounded, REQUEST_SHAPE } from "../../core/json/bounds.ts";
import { CODES } from "../../tools/wire/eras.ts";
import { type RpcMessage, readMessage } from "../../tools/wire/rpc.ts";
import { type ArrivedBody, checkType, decodeUtf8, readHeld } from "../body/body.ts";
import type { Arrival } from "../door/arrival.ts";
import type { HttpPorts } from "../ports.ts";
import { RpcRefusal } from "./errors.ts";

/** The most bytes of a call's arguments as JSON. */
export const ARGUMENT_BYTES_MAX = 1024 * 1024;
/** A message has other fields beside its arguments. */
const BESIDE_BYTES = 65_536;

/** Throws an `RpcRefusal` for what is no message, and the Faults of a body that isn't read. */
export function readRpc(ports: HttpPorts, { request, held }: Arrival, owner: string): Promise<RpcMessage> {
  const bytesMax = Math.min(ports.server.bodyBytesMax, ARGUMENT_BYTES_MAX + BESIDE_BYTES);
  return readHeld(request, ports, { owner, bytesMax, held }, MESSAGE);
}

function parse({ bytes }: ArrivedBody): RpcMessage {
  const text = decodeUtf8(bytes, refuseJson);
  const value = parseExactBounded(text, REQUEST_SHAPE);
  if (value === undefined)
    throw hasBoundedShape(text, REQUEST_SHAPE) ? refuseJson("it is not JSON") : refuseShape();
  return readMessage(value);
}

const MESSAGE = { checkType, parse };

function refuseShape(): RpcRefusal {
  const { depth, elements } = REQUEST_SHAPE;
  const message = `The message is nested deeper than ${depth} levels, or has more than ${elements} elements.`;
  return new RpcRefusal(400, null, { code: CODES.request, message });
}

function refuseJson(why: string): RpcRefusal {
  return new RpcRefusal(400, null, { code: CODES.parse, message: `The body could not be parsed: ${why}.` });
}

export function refuseArguments(): Fault {
  return new Fault("request_too_large", `The arguments are larger than ${ARGUMENT_BYTES_MAX} bytes.`);
}
