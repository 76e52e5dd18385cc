// One call of a tool, or of a prompt or a resource, at its server: sent once, in the server's era and the caller's session.
import type { Fault } from "../../core/faults/fault.ts";
import { asNumber, asString, type JsonObject } from "../../core/json/json.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { ToolProgress, ToolReply } from "../../core/tools/tool-reply.ts";
import type { Ending } from "../../core/world/ending.ts";
import { makeBrokenAnswer, makeInputUnsupported, makeResultTooLarge } from "../../tools/failures.ts";
import { findAskedBack, findNeeded } from "../../tools/wire/asking-back.ts";
import { CODES } from "../../tools/wire/eras.ts";
import { dropGatewayMeta } from "../../tools/wire/gateway-meta.ts";
import type { HeaderParameter } from "../../tools/wire/header-parameters.ts";
import type { RpcId } from "../../tools/wire/rpc.ts";
import { isOtherEra, isUnknownSession, type ServerFacts } from "../../tools/wire/server-facts.ts";
import type { MessageListener, ReceivedResponse } from "./answer-events.ts";
import { CallScope } from "./call-scope.ts";
import type { CallerSessions } from "./caller-sessions.ts";
import type { Answer } from "./exchange.ts";
import type { MirrorSource } from "./mirror-source.ts";
import type { Peer } from "./peer.ts";

export interface ServerCall {
  readonly method: "tools/call" | "prompts/get" | "resources/read";
  /** The server's own name of the tool or the prompt, or the resource's own address. */
  readonly target: string;
  /** A call's or a prompt's arguments. */
  readonly arguments: JsonObject | undefined;
  /** The sender's: its account takes the call's place, and its payer's failures are nobody else's. */
  readonly key: Pick<GatewayKey, "id" | "accountId" | "memberId">;
  /** The session or key that the server's session is for: no two owners share one. */
  readonly owner: string;
  /** Beside the protocol's own fields, such as `traceparent`. */
  readonly meta: JsonObject;
  /** Ends the call, at the server too. */
  readonly client: Ending;
  readonly onProgress: ((progress: ToolProgress) => void) | null;
  /** Called right before the call is sent: from then on it may have been carried out. */
  readonly onSend: () => void;
}

interface CallTerms {
  readonly peer: Peer;
  readonly source: MirrorSource;
  readonly sessions: CallerSessions;
}

const PARTS_MAX = 1000;
const NO_PARAMETERS: readonly HeaderParameter[] = [];
/** The most requests of a server that are answered during one call. */
const REQUESTS_MAX = 100;

/** Resolves with the server's reply. Rejects with a fault of the table, or with the reason that the client has ended. */
export function callServer(terms: CallTerms, call: ServerCall): Promise<ToolReply> {
  const { makeLate } = terms.peer;
  const { server, ports } = terms.peer.terms;
  const { deadlines } = ports;
  const scope = new CallScope(deadlines, deadlines.nowMs() + server.timeoutMs, makeLate, call.client);
  return new Sending(terms, call, scope).run();
}

/** It hears the server's messages about itself. */
class Sending implements MessageListener {
  readonly #terms: CallTerms;
  readonly #call: ServerCall;
  readonly #scope: CallScope;
  #requests = 0;
  #version = "";
  #session: string | null = null;
  #id = 0;

  constructor(terms: CallTerms, call: ServerCall, scope: CallScope) {
    this.#terms = terms;
    this.#call = call;
    this.#scope = scope;
  }

  /** Sends it again only if the server says that it doesn't know the session or the era, and so has carried nothing out. */
  async run(): Promise<ToolReply> {
    try {
      this.#scope.throwIfEnded();
      const first = await this.#sendOnce();
      const isStale = mayBeStale(first) && (await this.#dropStale(first));
      return readReply(this.#terms, isStale ? (await this.#sendOnce()).answer : first.answer);
    } finally {
      this.#scope.close();
    }
  }

  async #sendOnce(): Promise<SentCall> {
    const { peer, source, sessions } = this.#terms;
    const known = source.known.find(peer);
    const facts = known instanceof Promise ? await this.#scope.wait(known) : known;
    const opened = sessions.open(peer, facts, this.#call.owner);
    const session = opened === null ? null : await this.#scope.wait(opened);
    const id = peer.terms.ids.next();
    this.#version = facts.version;
    this.#session = session;
    this.#id = id;
    try {
      const answer = await this.#send(facts, session, id);
      return { answer, facts, session };
    } catch (thrown) {
      if (this.#scope.signal.aborted) this.#cancel(facts, session, id);
      throw thrown;
    }
  }

  #send(facts: ServerFacts, session: string | null, id: number): Promise<Answer> {
    const { peer, source } = this.#terms;
    const { method, target, arguments: given, meta, onProgress, onSend } = this.#call;
    const isRead = method === "resources/read";
    const named = given === undefined ? { name: target } : { name: target, arguments: given };
    return peer.request(facts, {
      id,
      method,
      params: isRead ? { uri: target } : named,
      meta,
      hasProgress: onProgress !== null,
      parameters: (method === "tools/call" && source.latest?.tools.get(target)?.parameters) || NO_PARAMETERS,
      session,
      scope: this.#scope,
      listener: this,
      onSend,
    });
  }

  /** In the newer era, the end of the connection says it. */
  #cancel({ era, version }: ServerFacts, session: string | null, id: number): void {
    if (era === "newer") return;
    const params = { requestId: id, reason: "The client has ended the request." };
    this.#terms.peer.tell(version, session, { method: "notifications/cancelled", params });
  }

  async #dropStale({ answer, facts, session }: SentCall): Promise<boolean> {
    const { source, sessions, peer } = this.#terms;
    const signs = { status: answer.status, error: answer.received?.response.error ?? null };
    const isForgotten = isUnknownSession(signs, facts.era);
    if (isForgotten && session !== null) await sessions.forget(peer, this.#call.owner, session);
    else if (isForgotten || isOtherEra(signs, facts.era)) source.known.forget(facts);
    else return false;
    return true;
  }

  notify(method: string, params: JsonObject): void {
    if (method === "notifications/progress") this.#report(params);
    else if (method === "notifications/tools/list_changed") this.#terms.source.markOutdated();
  }

  request(id: RpcId, method: string): void {
    if (++this.#requests > REQUESTS_MAX) return;
    this.#terms.peer.refuse(this.#version, this.#session, id, method);
  }

  #report({ progressToken, progress, total, message }: JsonObject): void {
    const done = asNumber(progress);
    if (progressToken !== this.#id || done === undefined) return;
    const all = asNumber(total);
    const words = asString(message);
    this.#call.onProgress?.({
      progress: done,
      ...(all === undefined ? {} : { total: all }),
      ...(words === undefined ? {} : { message: words }),
    });
  }
}

interface SentCall {
  readonly answer: Answer;
  readonly facts: ServerFacts;
  readonly session: string | null;
}

/** False for a result, as of nearly every call. */
function mayBeStale({ answer: { status, received } }: SentCall): boolean {
  return status >= 400 || received === null || received.response.error !== null;
}

function readReply({ peer, source }: CallTerms, { status, received }: Answer): ToolReply {
  const { server } = peer.terms;
  if (received === null) throw makeBrokenAnswer(server.name, `status ${status} without a response`);
  const { response } = received;
  if (response.result !== null) return readResult(server.name, response.result, received);
  const error = response.error ?? { code: CODES.request, message: "" };
  const needed = findNeeded(error);
  if (needed !== null) throw makeInputUnsupported(server.name, needed);
  // The tool's schema has other headers by now.
  if (error.code === CODES.headers) source.markOutdated();
  return { kind: "error", error };
}

function readResult(name: string, result: JsonObject, { bytes }: ReceivedResponse): ToolReply {
  const asked = findAskedBack(result);
  if (asked !== null) throw makeInputUnsupported(name, asked);
  const { content, contents, messages } = result;
  if (isTooLong(content) || isTooLong(contents) || isTooLong(messages))
    throw makeResultTooLarge(name, `${PARTS_MAX} parts`);
  return { kind: "result", result: dropGatewayMeta(result), bytes };
}

function isTooLong(parts: unknown): boolean {
  return Array.isArray(parts) && parts.length > PARTS_MAX;
}

/** True if the failure says that the server is down or talks nonsense. */
export function isServerFailure({ code }: Fault): boolean {
  return code === "tool_server_unavailable" || code === "tool_server_error" || code === "tool_timeout";
}
