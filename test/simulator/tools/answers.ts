// The bodies that the tool server of the tests reads and writes.
import { asArray, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ToolFault } from "./faults.ts";

export async function readJson(request: Request): Promise<JsonObject> {
  const value: unknown = await request.json();
  return isObject(value) ? value : { batch: asArray(value) };
}

export function writeEvent(message: JsonObject): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

export function refuse(
  status: number,
  id: unknown,
  code: number,
  message: string,
  data?: JsonObject,
): Response {
  const error = { code, message, ...(data ? { data } : {}) };
  return Response.json({ jsonrpc: "2.0", id: id ?? null, error }, { status });
}

export function flood(
  { count, bytes }: Extract<ToolFault, { kind: "flood" }>,
  controller: ReadableStreamDefaultController<Uint8Array>,
): void {
  const params = { data: "x".repeat(bytes) };
  const event = writeEvent({ jsonrpc: "2.0", method: "notifications/message", params });
  for (let at = 0; at < count; at++) controller.enqueue(event);
}
