// A request at a surface, from its first byte until it is read: what is known of it, as far as it has come.
import type { Caller, GatewayKey } from "../../core/keys/key.ts";
import type { TraceContext } from "../../core/log/trace-context.ts";
import type { LineMark } from "../../gateway/call.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import type { HeldBody } from "../body/body-memory.ts";
import type { HttpPorts } from "../ports.ts";
import type { HeaderStore } from "./app.ts";
import type { Peers } from "./client-address.ts";
import type { Connections } from "./client-watch.ts";
import type { CountingLimit } from "./counting.ts";
import { findPath } from "./paths.ts";

export class Arrival {
  readonly request: Request;
  readonly server: (Connections & Peers) | null;
  /** The headers that its answer gets whatever it is. */
  readonly set: HeaderStore;
  /** The route's pattern. */
  readonly route: string;
  readonly counting: CountingLimit;
  /** The sender, if it needs no secret because it is the gateway itself. */
  readonly sender: Caller | null;
  readonly requestId: string;
  /** The memory of its body. */
  readonly held: HeldBody;
  readonly startedMs: number;
  /** Null unless it is a line of a batch. */
  readonly line: LineMark | null;
  /** Its body, if that came with it: the gateway has it already. Null if it is read from the request. */
  readonly given: Uint8Array<ArrayBuffer> | null;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** The WebSocket on which it came. */
  readonly socketId: string | null;
  trace: TraceContext | null = null;
  /** Null until its sender is known, like the next two until it is read. */
  key: GatewayKey | null = null;
  modelAsked: string | null = null;
  selection: Selection | null = null;
  /** The client's names of fields, where they differ. */
  names: Readonly<Record<string, string>> | undefined = undefined;

  constructor(
    { bodies, clock }: Pick<HttpPorts, "bodies" | "clock">,
    request: Request,
    server: Arrival["server"],
    set: HeaderStore,
    { route, counting, sender = null, line = null, socketId = null, given = null, signal }: ArrivalRoute,
  ) {
    this.request = request;
    this.server = server;
    this.set = set;
    this.route = route;
    this.counting = counting;
    this.sender = sender;
    this.line = line;
    this.socketId = socketId;
    this.given = given;
    this.signal = signal ?? request.signal;
    this.requestId = String(set.headers["x-request-id"]);
    this.held = bodies.open();
    this.startedMs = clock.monotonicMs();
  }

  get path(): string {
    return findPath(this.request.url);
  }
}

/** The part that all requests of a route share. */
interface ArrivalRoute {
  readonly route: string;
  readonly counting: CountingLimit;
  readonly sender?: Caller | null;
  readonly line?: LineMark | null;
  readonly socketId?: string | null;
  readonly given?: Uint8Array<ArrayBuffer> | null;
  /** Missing if it ends with its request's connection. */
  readonly signal?: AbortSignal;
}
