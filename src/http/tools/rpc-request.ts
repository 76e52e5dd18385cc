// A client's request on its way: the message, the version that it is served in, and who sent it.
import type { JsonObject } from "../../core/json/json.ts";
import type { Caller } from "../../core/keys/key.ts";
import { fitResult } from "../../tools/wire/client-answers.ts";
import type { Era } from "../../tools/wire/eras.ts";
import type { MethodName } from "../../tools/wire/methods.ts";
import type { RpcRequest } from "../../tools/wire/rpc.ts";
import type { Arrival } from "../door/arrival.ts";
import type { Viewer } from "./view.ts";

export interface ClientRequest {
  readonly arrival: Arrival;
  readonly caller: Caller;
  readonly message: RpcRequest;
  readonly method: MethodName;
  readonly version: string;
  readonly era: Era;
  /** The client's session. Null in the newer era, and for a request without one. */
  readonly session: string | null;
  readonly viewer: Viewer;
}

/** Returns the result as the client's era has it. */
export function fitTo(
  { method, era }: Pick<ClientRequest, "method" | "era">,
  result: JsonObject,
): JsonObject {
  return fitResult(result, method, era);
}

const EVENTS = "text/event-stream";

/** True if the client takes an answer of events. */
export function takesEvents({ arrival }: Pick<ClientRequest, "arrival">): boolean {
  const accept = arrival.request.headers.get("accept") ?? "";
  return accept.includes(EVENTS) || accept.includes("*/*");
}
