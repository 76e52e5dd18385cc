// JSON-RPC messages: told apart, and written.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { ToolProtocolError } from "../../core/tools/tool-reply.ts";
import { CODES } from "./eras.ts";

/** Integers that no double holds are bigints. */
export type RpcId = string | number | bigint;

export interface RpcRequest {
  readonly kind: "request";
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
}

export interface RpcNotification {
  readonly kind: "notification";
  readonly method: string;
  readonly params: JsonObject;
}

export interface RpcResponse {
  readonly kind: "response";
  readonly id: RpcId | null;
  /** Null if it is an error. */
  readonly result: JsonObject | null;
  readonly error: ToolProtocolError | null;
}

interface RpcMistake {
  readonly kind: "invalid";
  /** The id to answer with, or null. */
  readonly id: RpcId | null;
  readonly reason: string;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse | RpcMistake;

const NO_PARAMS: JsonObject = Object.freeze({});

function readId(value: unknown): RpcId | null {
  if (typeof value === "string" || typeof value === "bigint") return value;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Reads a message of either side. Batches are of 2025-03-26 alone, and no client sends one: they are invalid. */
export function readMessage(value: unknown): RpcMessage {
  if (Array.isArray(value)) return invalid(null, "Batches are not supported: send each message on its own.");
  if (!isObject(value)) return invalid(null, "The body is not a JSON-RPC message: it must be an object.");
  const { jsonrpc, id: rawId, method, params } = value;
  const id = readId(rawId);
  if (jsonrpc !== "2.0") return invalid(id, '`jsonrpc` must be "2.0".');
  if (method === undefined && ("result" in value || "error" in value)) return readResponse(value, id);
  if (typeof method !== "string") return invalid(id, "`method` must be a string.");
  if (params !== undefined && !isObject(params)) return invalid(id, "`params` must be an object.");
  if (rawId === undefined) return { kind: "notification", method, params: params ?? NO_PARAMS };
  if (id === null) return invalid(null, "`id` must be a string or a number.");
  return { kind: "request", id, method, params: params ?? NO_PARAMS };
}

function readResponse({ result, error }: JsonObject, id: RpcId | null): RpcMessage {
  if (isObject(result)) return { kind: "response", id, result, error: null };
  const read = readError(error);
  return read
    ? { kind: "response", id, result: null, error: read }
    : invalid(id, "The response has no result.");
}

function readError(error: unknown): ToolProtocolError | null {
  if (!isObject(error) || typeof error.code !== "number" || !Number.isSafeInteger(error.code)) return null;
  const { code, message, data } = error;
  return {
    code,
    message: typeof message === "string" ? message : "",
    ...(data === undefined ? {} : { data }),
  };
}

function invalid(id: RpcId | null, reason: string): RpcMistake {
  return { kind: "invalid", id, reason };
}

export function writeResult(id: RpcId, result: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id, result };
}

export function writeError(id: RpcId | null, error: ToolProtocolError): JsonObject {
  return { jsonrpc: "2.0", id, error };
}

export function writeNotification(method: string, params: JsonObject): JsonObject {
  return { jsonrpc: "2.0", method, params };
}

export function makeMethodError(method: string): ToolProtocolError {
  return { code: CODES.method, message: `Method not found: ${method}` };
}
