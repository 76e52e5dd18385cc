// One request to a tool server and its answer. The only place where one is sent.
import { Fault } from "../../core/fault.ts";
import { nameConnectionFailure } from "../../core/log/no-connection.ts";
import { makeBrokenAnswer, makeResultTooLarge, makeUnavailable } from "../../tools/failures.ts";
import { SESSION_HEADER, type WrittenMessage } from "../../tools/wire/server-request.ts";
import { isConnectFailure, isNetworkError } from "../broken.ts";
import { readShortText } from "../short-text.ts";
import {
  isAnswerTo,
  type MessageListener,
  parseMessage,
  RESULT_BYTES_MAX,
  RESULT_SHOWN_MAX,
  type ReceivedResponse,
  readEvents,
} from "./answer-events.ts";
import type { CallScope } from "./call-scope.ts";
import type { Credentials } from "./credentials.ts";
import type { ToolServerPorts } from "./ports.ts";

/** The server that is asked, and by whom. */
export interface ExchangeTarget {
  readonly name: string;
  readonly url: string;
  readonly credentials: Credentials;
  /** The client's own credential, or null. */
  readonly pass: string | null;
  readonly ports: ToolServerPorts;
}

interface ExchangeRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly message: WrittenMessage;
  readonly session: string | null;
  /** The id of the JSON-RPC request, or null for a message without an answer. */
  readonly id: number | null;
  readonly listener: MessageListener;
  readonly scope: CallScope;
  /** Called right before it is sent. */
  readonly onSend?: () => void;
}

export interface Answer {
  readonly status: number;
  /** The session that the server has begun, or null. */
  readonly session: string | null;
  /** Null for an answer that is no response in JSON-RPC. */
  readonly received: ReceivedResponse | null;
}

const ERROR_BYTES_MAX = 65_536;
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/;
const EVENTS = /^text\/event-stream\b/i;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/**
 * Sends the request once. Rejects with a fault of the table, or with the reason that the scope ended. A 4xx is an answer: it
 * may mean that the server doesn't know the session, or speaks the other era.
 */
export async function exchange(target: ExchangeTarget, request: ExchangeRequest): Promise<Answer> {
  try {
    const response = await send(target, request);
    return await readAnswer(target, request, response);
  } catch (thrown) {
    if (request.scope.signal.aborted) throw request.scope.signal.reason;
    throw explain(target, thrown);
  }
}

function explain({ name }: ExchangeTarget, thrown: unknown): unknown {
  if (thrown instanceof Fault)
    return thrown.code === "upstream_error" ? makeBrokenAnswer(name, "an event that is too large") : thrown;
  if (!isNetworkError(thrown)) return thrown;
  const cause = nameConnectionFailure(thrown) ?? "connection broken";
  // A connection that broke later may have carried the call there.
  if (!isConnectFailure(thrown)) return makeBrokenAnswer(name, cause);
  return makeUnavailable(name, { reason: cause, upstream: { cause } });
}

async function send(target: ExchangeTarget, request: ExchangeRequest): Promise<Response> {
  const { scope, session, message, method } = request;
  const { headers, refuse } = await scope.wait(target.credentials.get(target.pass));
  const own: Record<string, string> = session === null ? {} : { [SESSION_HEADER]: session };
  request.onSend?.();
  const response = await target.ports.fetch(target.url, {
    method,
    redirect: "manual",
    signal: scope.signal,
    headers: { "accept-encoding": "identity", ...message.headers, ...own, ...headers },
    ...(method === "POST" ? { body: message.body } : {}),
    ...CONNECTION,
  });
  if (response.status === 401) refuse?.();
  return response;
}

/** The scope's deadline counts, not the runtime's own. Bun 1.4 repeats no request over a kept connection (seen 27 November 2026). */
const CONNECTION: BunFetchRequestInit = { timeout: false };

async function readAnswer(
  target: ExchangeTarget,
  request: ExchangeRequest,
  response: Response,
): Promise<Answer> {
  const { status, headers } = response;
  await refuseStatus(target, response);
  const sent = headers.get(SESSION_HEADER);
  const session = sent !== null && SESSION_ID.test(sent) ? sent : null;
  const received = await readBody(target, request, response);
  request.scope.throwIfEnded();
  return { status, session, received };
}

async function refuseStatus({ name, credentials }: ExchangeTarget, response: Response): Promise<void> {
  const { status } = response;
  const isRedirect = status >= 300 && status < 400;
  const isRefused = status === 401 || status === 403;
  const isFailed = status >= 500 || status === 408 || status === 429;
  if (!isRedirect && !isRefused && !isFailed) return;
  await response.body?.cancel();
  if (isRedirect) throw makeBrokenAnswer(name, `redirect ${status}`);
  if (isRefused) throw credentials.explainRefusal(status);
  const cause = `status ${status}`;
  throw makeUnavailable(name, { reason: cause, upstreamStatus: status, upstream: { cause } });
}

async function readBody(target: ExchangeTarget, request: ExchangeRequest, response: Response) {
  const type = response.headers.get("content-type") ?? "";
  if (response.status >= 400) return readError(request, response, JSON_TYPE.test(type));
  const isStream = request.id !== null || request.method === "GET";
  if (isStream && EVENTS.test(type)) return readStream(target, request, response);
  if (request.id === null || response.status === 202 || response.status === 204) {
    await response.body?.cancel();
    return null;
  }
  if (JSON_TYPE.test(type)) return readJson(target, request, response);
  await response.body?.cancel();
  throw makeBrokenAnswer(target.name, "neither JSON nor events");
}

async function readError({ id }: ExchangeRequest, response: Response, isJson: boolean) {
  const text = await readShortText(response, ERROR_BYTES_MAX);
  if (!isJson || text === null) return null;
  return findResponse(text, id);
}

async function readJson({ name }: ExchangeTarget, { id, scope }: ExchangeRequest, response: Response) {
  const text = await readShortText(response, RESULT_BYTES_MAX);
  if (text === null) throw makeResultTooLarge(name, RESULT_SHOWN_MAX);
  scope.throwIfEnded();
  const received = findResponse(text, id);
  if (received === null) throw makeBrokenAnswer(name, "no response in JSON-RPC");
  return received;
}

function findResponse(text: string, id: number | null): ReceivedResponse | null {
  const message = parseMessage(text);
  if (message.kind !== "response" || !isAnswerTo(message, id)) return null;
  return { response: message, bytes: Buffer.byteLength(text) };
}

async function readStream({ name }: ExchangeTarget, request: ExchangeRequest, response: Response) {
  const { id, scope, listener } = request;
  const received = await readEvents(response, { server: name, id, scope, listener });
  if (received === null && id !== null) throw makeBrokenAnswer(name, "the events ended without a response");
  return received;
}
