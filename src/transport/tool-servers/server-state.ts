// One tool server in this process: its mirrors by credential, the breakers of its tools, and the calls under way.
import { type Fault, toFault } from "../../core/faults/fault.ts";
import { findEvidence } from "../../core/health/evidence.ts";
import { waitForPlace } from "../../core/health/place.ts";
import { namePayer } from "../../core/keys/payer.ts";
import type { ToolReply } from "../../core/tools/tool-reply.ts";
import type { ToolServer } from "../../core/tools/tool-server.ts";
import { makeBusy, makeResting } from "../../tools/failures.ts";
import type { LeftOut, Mirror } from "../../tools/mirror.ts";
import { MirrorPool } from "../../tools/mirror-pool.ts";
import { Places } from "../../tools/places.ts";
import { RecentValues } from "../../tools/recent-values.ts";
import { callServer, isServerFailure, type ServerCall } from "./call.ts";
import { CallScope } from "./call-scope.ts";
import type { CallerSessions } from "./caller-sessions.ts";
import { Credentials } from "./credentials.ts";
import { Listening } from "./listening.ts";
import { MirrorSource, type OnMirror } from "./mirror-source.ts";
import { Peer } from "./peer.ts";
import type { ToolServerPorts } from "./ports.ts";
import type { RequestIds } from "./request-ids.ts";
import { type PassedCall, ToolBreakers } from "./tool-breakers.ts";

/** Values of `pass` whose lists are kept. The ones that were used longest ago go first. */
const PASS_VALUES_MAX = 1000;
/** The most bytes of their tools. A list that several values show counts once. */
const PASS_BYTES_MAX = 64 * 1024 * 1024;

interface StateParts {
  readonly ports: ToolServerPorts;
  readonly ids: RequestIds;
  readonly sessions: CallerSessions;
  /** Not called for servers of the kind `pass`: what one value shows is nobody else's. */
  readonly onMirror: (server: string, before: Mirror | null, after: Mirror) => void;
}

/** A server as the operator sees it. */
export interface ServerDescription {
  readonly name: string;
  readonly state: "up" | "down" | "unknown";
  readonly era: string | null;
  readonly version: string | null;
  readonly instructions: string | null;
  readonly error: string | null;
  readonly tools: number;
  readonly leftOut: readonly LeftOut[];
  /** When its lists were last asked for, in Unix milliseconds. */
  readonly checkedAtMs: number | null;
}

export class ServerState {
  readonly #parts: StateParts;
  readonly #server: ToolServer;
  readonly #credentials: Credentials;
  readonly #breakers: ToolBreakers;
  readonly #places: Places;
  readonly #shared: MirrorSource;
  /** By the digest of the value. */
  readonly #byPass = new RecentValues<MirrorSource>({
    count: PASS_VALUES_MAX,
    bytes: PASS_BYTES_MAX,
    countBytes: countMirrors,
  });
  readonly #pool = new MirrorPool();
  readonly #listening: Listening | null;
  /** The one without a caller's credential. */
  #sharedPeer: Peer | null = null;
  /** The fault of the last connection, if there was none. */
  #connectionFault: Fault | null = null;
  #hasAnswered = false;

  constructor(server: ToolServer, parts: StateParts) {
    this.#parts = parts;
    this.#server = server;
    this.#credentials = new Credentials(server, parts.ports);
    this.#breakers = new ToolBreakers(parts.ports.makeBreaker);
    this.#places = new Places(server.parallel);
    this.#shared = this.#makeSource((before, after) => parts.onMirror(server.name, before, after));
    this.#listening = this.#isPass ? null : new Listening(this.#peerFor(null), this.#shared);
  }

  #makeSource(onMirror: OnMirror): MirrorSource {
    const onRead = (isBack: boolean) => {
      this.#connectionFault = null;
      if (isBack) this.#breakers.hasten(this.#nowMs());
    };
    return new MirrorSource(this.#parts.ports, this.#pool, { onMirror, onRead });
  }

  get server(): ToolServer {
    return this.#server;
  }

  get listening(): Listening | null {
    return this.#listening;
  }

  get #isPass(): boolean {
    return this.#server.auth.kind === "pass";
  }

  #peerFor(pass: string | null): Peer {
    const { ports, ids } = this.#parts;
    const own = this.#isPass ? pass : null;
    const make = () =>
      new Peer({ server: this.#server, credentials: this.#credentials, pass: own, ports, ids });
    if (own !== null) return make();
    this.#sharedPeer ??= make();
    return this.#sharedPeer;
  }

  #sourceFor(pass: string | null): MirrorSource {
    if (!this.#isPass || pass === null) return this.#shared;
    const { ports } = this.#parts;
    return this.#byPass.get(ports.digest(pass), () => this.#makeSource(() => {}));
  }

  /** Returns the lists that may be shown without a look at the server. Null if it has to be asked. */
  peek(pass: string | null): Mirror | null {
    if (this.#isPass && pass === null) return null;
    return this.#sourceFor(pass).peek();
  }

  /** Returns null if the server doesn't give its lists. Throws `tool_credential_missing`. */
  async list(pass: string | null): Promise<Mirror | null> {
    this.#credentials.require(pass);
    return this.#sourceFor(pass).get(this.#peerFor(pass));
  }

  findRefusal(pass: string | null): Fault | null {
    const { fault } = this.#sourceFor(pass);
    return fault?.code === "tool_server_auth" ? fault : null;
  }

  /** Rejects with a fault of the table. */
  async call(call: ServerCall, pass: string | null): Promise<ToolReply> {
    const { accountId } = call.key;
    this.#credentials.require(pass);
    const isLacking = (nowMs: number) =>
      this.#breakers.lacksPlace(nameTool(call), namePayer(call.key), nowMs);
    if (isLacking(this.#nowMs())) await waitForPlace(this.#parts.ports.clock, isLacking);
    if (!this.#places.take(accountId)) await this.#waitForPlace(call);
    try {
      const passed = this.#passBreaker(call);
      const source = this.#sourceFor(pass);
      try {
        const terms = { peer: this.#peerFor(pass), source, sessions: this.#parts.sessions };
        const reply = await callServer(terms, call);
        this.#recordAnswer(passed);
        return reply;
      } catch (thrown) {
        this.#recordFault(passed, toFault(thrown), source);
        throw thrown;
      }
    } finally {
      this.#places.leave(accountId, this.#nowMs());
    }
  }

  /** Rejects with `tool_server_busy` after 5 s, and at once if the tool isn't called anyway. */
  async #waitForPlace(call: ServerCall): Promise<void> {
    const { deadlines } = this.#parts.ports;
    const tool = nameTool(call);
    const restMs = this.#breakers.waitMs(tool, namePayer(call.key), this.#nowMs());
    if (restMs > 0) throw makeResting(this.#server.name, tool, restMs);
    const { promise: given, resolve } = Promise.withResolvers<void>();
    const waiter = this.#places.wait(call.key.accountId, this.#nowMs(), resolve);
    const scope = new CallScope(deadlines, waiter.untilMs, () => makeBusy(this.#server.name), call.client);
    try {
      await scope.wait(given);
    } catch (thrown) {
      this.#places.withdraw(waiter, this.#nowMs());
      throw thrown;
    } finally {
      scope.close();
    }
  }

  #passBreaker(call: ServerCall): PassedCall {
    const tool = nameTool(call);
    const payer = namePayer(call.key);
    const nowMs = this.#nowMs();
    const passed = this.#breakers.pass(tool, payer, nowMs);
    if (passed === null)
      throw makeResting(this.#server.name, tool, this.#breakers.waitMs(tool, payer, nowMs));
    return passed;
  }

  #nowMs(): number {
    return this.#parts.ports.deadlines.nowMs();
  }

  #recordAnswer(passed: PassedCall): void {
    this.#breakers.recordSuccess(passed, this.#nowMs());
    this.#recordReached();
  }

  #recordReached(): void {
    this.#connectionFault = null;
    this.#hasAnswered = true;
  }

  #recordFault(passed: PassedCall, fault: Fault, source: MirrorSource): void {
    const evidence = findEvidence(fault);
    if (evidence === "shared") this.#connectionFault = fault;
    else if (fault.details.upstreamStatus !== undefined) this.#recordReached();
    if (isServerFailure(fault)) {
      // Its lists, asked for again every 10 s, show when it is back: the pauses between tries of calls grow to a minute.
      if (this.#breakers.recordFailure(passed, evidence, this.#nowMs())) source.markOutdated();
    } else if (fault.code.startsWith("tool_")) {
      // It has answered, if only to refuse.
      this.#breakers.recordSuccess(passed, this.#nowMs());
    } else this.#breakers.release(passed);
  }

  /**
   * Its state is that of its lists and of connections: what a tool makes of its arguments says nothing about the server. Nothing
   * that was learned with a value of `pass` is shown, but whether it is reached.
   */
  describe(): ServerDescription {
    const { known, latest, fault, checkedAtMs } = this.#shared;
    const failure = fault ?? this.#connectionFault;
    const hasAnswered = this.#hasAnswered || latest !== null;
    return {
      name: this.#server.name,
      state: failure !== null ? "down" : hasAnswered ? "up" : "unknown",
      era: known.known?.version ?? null,
      version: known.known?.release ?? null,
      instructions: known.known?.instructions ?? null,
      error:
        failure === null ? null : (failure.details.upstream?.cause ?? failure.details.reason ?? failure.code),
      tools: latest?.tools.size ?? 0,
      leftOut: latest?.leftOut ?? [],
      checkedAtMs,
    };
  }

  /** Returns the server's instructions for this credential, as far as they are known. */
  findInstructions(pass: string | null): string | null {
    return this.#sourceFor(pass).known.known?.instructions ?? null;
  }

  /** Ends a caller's session that nobody has used for long. A `pass` server would want a credential that is gone. */
  async endSession(session: string): Promise<void> {
    const { known } = this.#shared.known;
    if (!this.#isPass && known !== null) await this.#peerFor(null).end(known.version, session);
  }

  /** Resolves once the server has heard that the gateway's own session is over. */
  close(): Promise<void> {
    this.#listening?.stop();
    return this.#shared.close(this.#peerFor(null));
  }
}

/** As its calls are named in the log: resources have addresses without end, so their reading counts as one tool. */
function nameTool({ method, target }: ServerCall): string {
  return method === "tools/call" ? target : method;
}

function countMirrors(sources: Iterable<MirrorSource>): number {
  const mirrors = new Set<Mirror>();
  for (const { latest } of sources) if (latest !== null) mirrors.add(latest);
  let bytes = 0;
  for (const mirror of mirrors) bytes += mirror.bytes;
  return bytes;
}
