// A tool server under one credential: the era that it speaks, the gateway's own session there, and requests in that era.
import type { Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { ToolServer } from "../../core/tools/tool-server.ts";
import { makeBrokenAnswer, makeToolTimeout, makeUnavailable } from "../../tools/failures.ts";
import { findEra, NEWER_VERSION } from "../../tools/wire/eras.ts";
import type { HeaderParameter } from "../../tools/wire/header-parameters.ts";
import { makeMethodError, type RpcId } from "../../tools/wire/rpc.ts";
import { mayBeOlder, readDiscover, readInitialize, type ServerFacts } from "../../tools/wire/server-facts.ts";
import {
  type WrittenMessage,
  writeHandshake,
  writeOlder,
  writeRequest,
} from "../../tools/wire/server-request.ts";
import type { MessageListener } from "./answer-events.ts";
import { CallScope } from "./call-scope.ts";
import type { Credentials } from "./credentials.ts";
import { type Answer, type ExchangeTarget, exchange } from "./exchange.ts";
import type { ToolServerPorts } from "./ports.ts";
import type { RequestIds } from "./request-ids.ts";

/** The longest that a server may take to say what it is, or to begin a session. */
const START_MS = 10_000;
/** The longest that a message without an answer may take. */
const TELL_MS = 5_000;

interface PeerTerms {
  readonly server: ToolServer;
  readonly credentials: Credentials;
  readonly pass: string | null;
  readonly ports: ToolServerPorts;
  readonly ids: RequestIds;
}

/** A request in whichever era the server speaks. */
interface PeerRequest {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly hasProgress: boolean;
  readonly parameters: readonly HeaderParameter[];
  readonly session: string | null;
  readonly scope: CallScope;
  readonly listener: MessageListener;
  /** True for a list, in which an entry beyond the bounds hurts no other. */
  readonly lists?: boolean;
  readonly onSend?: () => void;
}

const LATE = { reason: "no answer in time", upstream: { cause: "timeout: no answer in time" } };
const NO_META: JsonObject = Object.freeze({});
const NOBODY: MessageListener = { notify() {}, request() {} };

/** Lives as long as its credential is known: for a `pass` server as long as the request that brought it. */
export class Peer {
  readonly #terms: PeerTerms;
  readonly #target: ExchangeTarget;
  /** Makes the fault of a call that takes too long. */
  readonly makeLate: () => Fault;

  constructor(terms: PeerTerms) {
    this.#terms = terms;
    const { server, credentials, pass, ports } = terms;
    this.#target = { name: server.name, url: server.url, credentials, pass, ports };
    this.makeLate = () => makeToolTimeout(server.name, server.timeoutMs);
  }

  get terms(): PeerTerms {
    return this.#terms;
  }

  openScope(
    forMs: number,
    makeLate: () => Fault = () => makeUnavailable(this.#target.name, LATE),
  ): CallScope {
    const { deadlines } = this.#terms.ports;
    return new CallScope(deadlines, deadlines.nowMs() + forMs, makeLate);
  }

  request(facts: ServerFacts, request: PeerRequest): Promise<Answer> {
    const { id, session, scope, listener, lists, onSend } = request;
    const versions = { version: facts.version, gatewayVersion: this.#terms.ports.version };
    const message = writeRequest(versions, request);
    return exchange(this.#target, {
      method: "POST",
      message,
      session,
      id,
      listener,
      scope,
      lists,
      onSend,
    });
  }

  /** Asks once in the newer era, and then in the older. A silence or a 5xx says nothing about the era. */
  async find(): Promise<{ readonly facts: ServerFacts; readonly session: string | null }> {
    const scope = this.openScope(START_MS);
    try {
      const newer = await this.#discover(scope);
      return newer === null ? await this.#beginOlder(scope) : { facts: newer, session: null };
    } finally {
      scope.close();
    }
  }

  async #discover(scope: CallScope): Promise<ServerFacts | null> {
    const { ports, ids, server } = this.#terms;
    const id = ids.next();
    const request = { id, method: "server/discover", params: {}, meta: NO_META, hasProgress: false };
    const message = writeRequest(
      { version: NEWER_VERSION, gatewayVersion: ports.version },
      { ...request, parameters: [] },
    );
    const answer = await this.#send(message, id, scope);
    const { result = null, error = null } = answer.received?.response ?? {};
    if (result !== null) return readDiscover(result);
    if (mayBeOlder({ status: answer.status, error })) return null;
    throw makeBrokenAnswer(server.name, `server/discover: ${error?.message ?? `status ${answer.status}`}`);
  }

  /** Begins a session in the older era, whether or not the server gives it an id. */
  async #beginOlder(
    scope: CallScope,
  ): Promise<{ readonly facts: ServerFacts; readonly session: string | null }> {
    const { ports, ids, server } = this.#terms;
    const id = ids.next();
    const answer = await this.#send(writeHandshake(ports.version, id), id, scope);
    const { result = null, error = null } = answer.received?.response ?? {};
    const facts = result === null ? null : readInitialize(result, answer.session !== null);
    if (facts === null)
      throw makeBrokenAnswer(server.name, `initialize: ${error?.message ?? explainStatus(answer.status)}`);
    const message = writeOlder(facts.version, { method: "notifications/initialized" });
    await this.#sendOn(message, null, scope, answer.session);
    return { facts, session: answer.session };
  }

  /** Begins a session at a server whose era is known to be the older. Returns null if it gives none. */
  async begin(): Promise<string | null> {
    const scope = this.openScope(START_MS);
    try {
      return (await this.#beginOlder(scope)).session;
    } finally {
      scope.close();
    }
  }

  #send(message: WrittenMessage, id: number, scope: CallScope): Promise<Answer> {
    return this.#sendOn(message, id, scope, null);
  }

  #sendOn(message: WrittenMessage, id: number | null, scope: CallScope, session: string | null) {
    return exchange(this.#target, { method: "POST", message, session, id, listener: NOBODY, scope });
  }

  /** Sends a message of the older era that has no answer, beside what is under way. It may fail. */
  tell(version: string, session: string | null, message: JsonObject): void {
    const scope = this.openScope(TELL_MS);
    void this.#sendOn(writeOlder(version, message), null, scope, session)
      .catch(() => {})
      .finally(() => scope.close());
  }

  /** Nothing that a server asks of its client is passed on, but it hears so at once. The newer era knows no such answers. */
  refuse(version: string, session: string | null, id: RpcId, method: string): void {
    if (findEra(version) === "newer") return;
    const answer = method === "ping" ? { result: {} } : { error: makeMethodError(method) };
    this.tell(version, session, { id, ...answer });
  }

  /** Ends a session at the server. It may fail: the server ends it by itself then. */
  async end(version: string, session: string): Promise<void> {
    const scope = this.openScope(TELL_MS);
    const message = { headers: writeOlder(version, {}).headers, body: "" };
    const sending = { method: "DELETE", message, session, id: null, listener: NOBODY, scope } as const;
    try {
      await exchange(this.#target, sending).catch(() => {});
    } finally {
      scope.close();
    }
  }

  /** Opens the stream on which a server of the older era announces changes. Resolves when it ends. */
  async hearOlder(version: string, session: string | null, scope: CallScope, listener: MessageListener) {
    const headers = { ...writeOlder(version, {}).headers, accept: "text/event-stream" };
    const sending = {
      method: "GET",
      message: { headers, body: "" },
      session,
      id: null,
      listener,
      scope,
    } as const;
    return exchange(this.#target, sending);
  }
}

/** A path that isn't the protocol's, or that speaks the transport of 2024, answers a POST so. */
function explainStatus(status: number): string {
  const words = `status ${status}`;
  if (status !== 404 && status !== 405) return words;
  return `${words}: no streamable HTTP at this address. It often ends in /mcp; the transport of 2024 (HTTP+SSE) isn't spoken here`;
}
