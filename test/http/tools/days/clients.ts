// The clients of a day: calls of tools, and responses whose models call them. Each notes its requests and their outcomes.
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../../../src/core/json/json.ts";

/** A key, or a session of a client of it: what a server keeps for one is no other's. */
export interface Owner {
  /** The first word of the texts of its calls. */
  readonly name: string;
  readonly secret: string;
  readonly session: string | null;
  /** The credential that its calls pass on. */
  readonly token: string;
}

export interface Manner {
  /** It hangs up after this time. Null if it waits. */
  readonly leavesMs: number | null;
  /** It cancels the call after this time by a message of its own. */
  readonly cancelsMs: number | null;
  readonly limitSeconds: number | null;
  readonly once: string | null;
}

export const PATIENT: Manner = { leavesMs: null, cancelsMs: null, limitSeconds: null, once: null };

export type Outcome =
  /** The tool's result, or the whole answer of a model. */
  | { readonly kind: "answer"; readonly chargedUsd: number; readonly body: JsonObject }
  | { readonly kind: "refused"; readonly code: string; readonly words: string }
  /** The client has hung up. */
  | { readonly kind: "left" }
  /** The node was killed, or has closed the connection. */
  | { readonly kind: "cut" };

/** A node as its clients see it. */
interface ReachedNode {
  readonly url: string;
  /** Ends when it is killed. */
  readonly life: { readonly signal: AbortSignal; readonly isOver: boolean };
}

/** One sending of a request. */
export interface Sent {
  readonly requestId: string;
  readonly node: ReachedNode;
  readonly owner: Owner;
  readonly server: string;
  readonly manner: Manner;
  /** The texts of its calls. */
  readonly texts: readonly string[];
  readonly isLoop: boolean;
  /** True if its server was stopped or changed its era meanwhile. */
  isShaken: boolean;
  /** False if its key may call no tool. Null if that changed meanwhile. */
  mayCall: boolean | null;
  outcome: Outcome | null;
}

type Received =
  | { readonly kind: "text"; readonly status: number; readonly headers: Headers; readonly text: string }
  | { readonly kind: "left" }
  | { readonly kind: "cut" };

export const PASS_HEADER = "x-desk-token";

async function post(sent: Sent, path: string, body: JsonObject, more: HeadersInit = {}): Promise<Received> {
  const { node, owner, manner, requestId } = sent;
  const headers = new Headers(more);
  headers.set("content-type", "application/json");
  headers.set("authorization", `Bearer ${owner.secret}`);
  headers.set("x-request-id", requestId);
  if (manner.once !== null) headers.set("idempotency-key", manner.once);
  const leaving = new AbortController();
  const timer = manner.leavesMs === null ? null : setTimeout(() => leaving.abort(), manner.leavesMs);
  try {
    const signal = AbortSignal.any([leaving.signal, node.life.signal]);
    const asked = { method: "POST", headers, body: JSON.stringify(body), signal, keepalive: false };
    const response = await fetch(`${node.url}${path}`, asked);
    return { kind: "text", status: response.status, headers: response.headers, text: await response.text() };
  } catch {
    return { kind: leaving.signal.aborted && !node.life.isOver ? "left" : "cut" };
  } finally {
    if (timer !== null) clearTimeout(timer);
  }
}

/** Calls the tool with the one text that was noted, and returns the outcome. */
export async function callTool(sent: Sent, tool: string): Promise<Outcome> {
  const { owner, server, manner, texts, requestId } = sent;
  const params = { name: `${server}_${tool}`, arguments: { text: texts[0] ?? "" } };
  const { cancelsMs } = manner;
  const headers = {
    [PASS_HEADER]: `Bearer ${owner.token}`,
    ...(owner.session === null ? {} : { "mcp-session-id": owner.session }),
    ...limitTime(manner),
  };
  const message = { jsonrpc: "2.0", id: requestId, method: "tools/call", params };
  if (cancelsMs !== null) setTimeout(() => void cancel(sent, headers), cancelsMs);
  const received = await post(sent, "/mcp", message, headers);
  if (received.kind !== "text") return received;
  const { result, error } = asObject(parseJson(received.text));
  if (error !== undefined) return readRefusal(asObject(error));
  const { "poundkey/error": failure } = asObject(asObject(asObject(result)._meta));
  if (failure !== undefined)
    return { kind: "refused", code: String(asObject(failure).code), words: received.text };
  const chargedUsd = Number(received.headers.get("x-poundkey-charged"));
  return { kind: "answer", chargedUsd, body: asObject(result) };
}

function limitTime({ limitSeconds }: Manner): Readonly<Record<string, string>> {
  return limitSeconds === null ? {} : { "x-poundkey-timeout": String(limitSeconds) };
}

async function cancel(sent: Sent, headers: Readonly<Record<string, string>>): Promise<void> {
  const params = { requestId: sent.requestId };
  const quiet = { ...sent, manner: PATIENT };
  await post(quiet, "/mcp", { jsonrpc: "2.0", method: "notifications/cancelled", params }, headers);
}

function readRefusal(error: JsonObject): Outcome {
  const { code } = asObject(error.data);
  return { kind: "refused", code: asString(code) ?? String(error.code), words: String(error.message) };
}

/** Asks a model that calls the tool once for each text, two in a turn, and then says that it is done. */
export async function askModel(sent: Sent, model: string, stream: boolean): Promise<Outcome> {
  const { server, texts, owner, manner } = sent;
  const calls = texts.map((text) => `call ${server}_echo(${JSON.stringify({ text })})`);
  const turns = Array.from({ length: Math.ceil(calls.length / 2) }, (_, at) =>
    calls.slice(2 * at, 2 * at + 2).join(" and "),
  );
  const input = [...turns, "say: done"].map((words, at) => `step ${at + 1}: ${words}`).join("\n");
  const tool = {
    type: "mcp",
    server_label: "desk",
    server_url: `poundkey:${server}`,
    require_approval: "never",
  };
  const own = server === "guarded" ? { ...tool, authorization: owner.token } : tool;
  const received = await post(
    sent,
    "/v1/responses",
    { model, input, stream, tools: [own] },
    limitTime(manner),
  );
  if (received.kind !== "text") return received;
  const body = stream && received.status === 200 ? readLastEvent(received.text) : parseJson(received.text);
  // A stream that ends before its last event was cut off.
  if (body === null) return { kind: "cut" };
  const { error, usage } = asObject(body);
  if (received.status !== 200) return readRefusal({ ...asObject(error), data: error });
  const { charged } = asObject(usage);
  return { kind: "answer", chargedUsd: Number(charged ?? 0), body: asObject(body) };
}

function readLastEvent(text: string): JsonObject | null {
  const data = text.split("\n").findLast((line) => line.startsWith("data: {"));
  const event = asObject(data === undefined ? {} : parseJson(data.slice("data: ".length)));
  return /^response\.(completed|incomplete|failed)$/.test(String(event.type))
    ? asObject(event.response)
    : null;
}

/** Returns the answer's calls that have a result of the server's. */
export function listResults(body: JsonObject): readonly JsonObject[] {
  const calls = asArray(body.output).map(asObject);
  return calls.filter(({ type, output }) => type === "mcp_call" && typeof output === "string");
}
