// A request at a surface, from its first byte until it is read: what is known of it, as far as it has come.
import type { JsonObject } from "../../core/json/json.ts";
import type { Caller, GatewayKey } from "../../core/keys/key.ts";
import type { TraceContext } from "../../core/log/trace-context.ts";
import type { LineMark } from "../../gateway/call.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import type { HeldBody } from "../body/body-memory.ts";
import { type FoundEarlier, NO_EARLIER_ANSWER } from "../conversations/earlier.ts";
import type { HttpPorts } from "../ports.ts";
import type { HeaderStore } from "../serve/app.ts";
import type { Peers } from "../serve/client-address.ts";
import { findPath } from "../serve/paths.ts";
import type { Connections } from "./client-watch.ts";
import type { CountingLimit } from "./counting.ts";

/** A turn of a connection: its body has been read with its frame, and its connection knows more of its conversation. */
export interface TurnMark {
  readonly socketId: string;
  readonly body: JsonObject;
  /** True if nobody is asked, and only the conversation is remembered. */
  readonly isWarmUp: boolean;
  /** Throws the Fault of a key that may not go on here. */
  check(key: GatewayKey): void;
  /** Finds the answers that the turn goes on from. */
  findEarlier(ports: HttpPorts, key: GatewayKey): Promise<FoundEarlier>;
}

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
  /** Null unless it is a turn of a WebSocket. */
  readonly turn: TurnMark | null;
  trace: TraceContext | null = null;
  /** Null until its sender is known, like the next two until it is read. */
  key: GatewayKey | null = null;
  modelAsked: string | null = null;
  /** The answers that it goes on from. */
  earlier: FoundEarlier = NO_EARLIER_ANSWER;
  selection: Selection | null = null;
  /** The client's names of fields, where they differ. */
  names: Readonly<Record<string, string>> | undefined = undefined;

  constructor(
    { bodies, clock }: Pick<HttpPorts, "bodies" | "clock">,
    request: Request,
    server: Arrival["server"],
    set: HeaderStore,
    { route, counting, sender = null, line = null, turn = null, given = null, signal }: ArrivalRoute,
  ) {
    this.request = request;
    this.server = server;
    this.set = set;
    this.route = route;
    this.counting = counting;
    this.sender = sender;
    this.line = line;
    this.turn = turn;
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
  readonly turn?: TurnMark | null;
  readonly given?: Uint8Array<ArrayBuffer> | null;
  /** Missing if it ends with its request's connection. */
  readonly signal?: AbortSignal;
}
