// One request to a tool server and its answer. The only place where one is sent.
import { Fault } from "../../core/faults/fault.ts";
import { nameConnectionFailure } from "../../core/log/no-connection.ts";
import { makeBrokenAnswer, makeResultTooLarge, makeUnavailable } from "../../tools/failures.ts";
import { SESSION_HEADER, type WrittenMessage } from "../../tools/wire/server-request.ts";
import { isConnectFailure, isNetworkError } from "../broken.ts";
import { readShortText } from "../short-text.ts";
import {
  isAnswerTo,
  type MessageListener,
  makeParse,
  type ParseMessage,
  RESULT_BYTES_MAX,
  RESULT_SHOWN_MAX,
  type ReceivedResponse,
  readEvents,
} from "./answer-events.ts";
import type { CallScope } from "./call-scope.ts";
import type { Credential, Credentials } from "./credentials.ts";
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
  /** True for a list, in which an entry beyond the bounds hurts no other. */
  readonly lists?: boolean;
  /** Called right before it is sent. */
  readonly onSend?: (() => void) | undefined;
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
  const { scope } = request;
  try {
    const asked = target.credentials.get(target.pass);
    const first = asked instanceof Promise ? await scope.wait(asked) : asked;
    const answer = await send(target, request, first);
    const mayHaveExpired = answer.status === 401 && first.refuse !== undefined;
    const { response, credential } = mayHaveExpired
      ? await sendAgain(target, request, { response: answer, credential: first })
      : { response: answer, credential: first };
    const { status, headers } = response;
    if (isRefusal(status)) throw await explainStatus(target, response);
    const sent = headers.get(SESSION_HEADER);
    const session = sent !== null && SESSION_ID.test(sent) ? sent : null;
    const parse = makeParse(credential.redaction, request.lists === true);
    const received = await readBody({ ...request, name: target.name, parse }, response);
    scope.throwIfEnded();
    return { status, session, received };
  } catch (thrown) {
    if (scope.signal.aborted) throw scope.signal.reason;
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
  return makeUnavailable(name, { reason: cause, unsent: true, upstream: { cause } });
}

interface SentExchange {
  readonly response: Response;
  readonly credential: Credential;
}

/** A 401 says that nothing was carried out, so the request is sent once more with another token. */
async function sendAgain(
  target: ExchangeTarget,
  request: ExchangeRequest,
  refused: SentExchange,
): Promise<SentExchange> {
  refused.credential.refuse?.();
  await refused.response.body?.cancel();
  request.scope.endReading();
  const asked = target.credentials.get(target.pass);
  const credential = asked instanceof Promise ? await request.scope.wait(asked) : asked;
  const response = await send(target, request, credential);
  if (response.status === 401) credential.refuse?.();
  return { response, credential };
}

function send(
  { url, ports }: ExchangeTarget,
  { scope, session, message, method, onSend }: ExchangeRequest,
  credential: Credential,
): Promise<Response> {
  const headers: Record<string, string> = { "accept-encoding": "identity", ...message.headers };
  if (session !== null) headers[SESSION_HEADER] = session;
  for (const name in credential.headers) headers[name] = credential.headers[name] ?? "";
  const init: BunFetchRequestInit = {
    method,
    redirect: "manual",
    signal: scope.signal,
    headers,
    timeout: false,
  };
  if (method === "POST") init.body = message.body;
  onSend?.();
  scope.beginReading();
  return ports.fetch(url, init);
}

const isRedirect = (status: number) => status >= 300 && status < 400;
const isUnauthorized = (status: number) => status === 401 || status === 403;
const isFailure = (status: number) => status >= 500 || status === 408 || status === 429;

function isRefusal(status: number): boolean {
  return status >= 300 && (isRedirect(status) || isUnauthorized(status) || isFailure(status));
}

async function explainStatus({ name, credentials }: ExchangeTarget, response: Response): Promise<Fault> {
  const { status } = response;
  await response.body?.cancel();
  if (isRedirect(status)) return makeBrokenAnswer(name, `redirect ${status}`);
  if (isUnauthorized(status)) return credentials.explainRefusal(status);
  const cause = `status ${status}`;
  return makeUnavailable(name, { reason: cause, upstreamStatus: status, upstream: { cause } });
}

interface AnswerReadTerms extends ExchangeRequest {
  /** The server's. */
  readonly name: string;
  readonly parse: ParseMessage;
}

/** Not async, so that the usual answer takes one promise less. */
function readBody(terms: AnswerReadTerms, response: Response): Promise<ReceivedResponse | null> {
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "";
  if (status >= 400) return readError(terms, response, JSON_TYPE.test(type));
  const isStream = terms.id !== null || terms.method === "GET";
  if (isStream && EVENTS.test(type)) return readStream(terms, response);
  const isAnswered = terms.id !== null && status !== 202 && status !== 204;
  return isAnswered && JSON_TYPE.test(type)
    ? readJson(terms, response)
    : discardBody(terms, response, isAnswered);
}

async function discardBody(
  { name }: AnswerReadTerms,
  { body }: Response,
  isAnswered: boolean,
): Promise<null> {
  await body?.cancel();
  if (isAnswered) throw makeBrokenAnswer(name, "neither JSON nor events");
  return null;
}

async function readError(terms: AnswerReadTerms, response: Response, isJson: boolean) {
  const text = await readShortText(response, ERROR_BYTES_MAX);
  if (text !== null) terms.scope.endReading();
  if (!isJson || text === null) return null;
  return findResponse(text, terms);
}

async function readJson(terms: AnswerReadTerms, response: Response) {
  const { name, scope } = terms;
  const text = await readShortText(response, RESULT_BYTES_MAX);
  if (text === null) throw makeResultTooLarge(name, RESULT_SHOWN_MAX);
  scope.throwIfEnded();
  scope.endReading();
  const received = findResponse(text, terms);
  if (received === null) throw makeBrokenAnswer(name, "no response in JSON-RPC");
  return received;
}

function findResponse(text: string, { id, parse }: AnswerReadTerms): ReceivedResponse | null {
  const message = parse(text);
  if (message.kind !== "response" || !isAnswerTo(message, id)) return null;
  return { response: message, bytes: Buffer.byteLength(text) };
}

async function readStream(terms: AnswerReadTerms, response: Response) {
  const { name, id } = terms;
  const received = await readEvents(response, { ...terms, server: name });
  if (received === null && id !== null) throw makeBrokenAnswer(name, "the events ended without a response");
  return received;
}
