// The connections of a process: which are opened, and which must end.

import { Type } from "@sinclair/typebox";
import { Fault, toFault } from "../../core/faults/fault.ts";
import { asString, type JsonObject } from "../../core/json/json.ts";
import { findFirstFault, invalidValue } from "../../core/json/schema-fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { namePayer } from "../../core/keys/payer.ts";
import type { SocketRules } from "../../core/settings.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import type { Latecomer } from "../../core/world/world.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import { OPENAI_RESPONSES } from "../../surfaces/openai-responses/surface.ts";
import { parseFrame } from "../body/body.ts";
import { Arrival } from "../door/arrival.ts";
import { CountingLimit } from "../door/counting.ts";
import { openDoor } from "../door/door.ts";
import { noteRefusal } from "../door/outlet.ts";
import type { Door } from "../door/ports.ts";
import type { HttpPorts } from "../ports.ts";
import { createRefusalResponse } from "../serve/answers.ts";
import { addHeaders, type BunServer, type HeaderStore, type SocketRoutes } from "../serve/app.ts";
import { identifyCaller } from "../serve/auth.ts";
import { Connection, type Handshake } from "./connection.ts";
import { addTurnHeaders, makeSharedHeaders } from "./create-headers.ts";
import { makeTurnedOff, type OpenSockets } from "./open-sockets.ts";
import { CLOSED, type CloseReason } from "./port.ts";
import { runTurn, type Turn, type TurnConnection } from "./turn.ts";
import { checkAccount, markTurn } from "./turn-mark.ts";

/** Connections are looked at so often: a key that ends is noticed within two of these. */
const LOOK_EVERY_MS = 1000;
const ROUTE = "/v1/responses";

/** The fields of a create that are read here. All others are those of a POST. */
const CREATE = Type.Object({
  generate: Type.Optional(Type.Boolean()),
  headers: Type.Optional(Type.Object({})),
  previous_response_id: Type.Optional(Type.String()),
});

/**
 * Bun cuts a client off that says nothing for so long, in seconds, not even a pong. Its own limit on unsent bytes is beyond
 * what senders wait for, with the longest frame.
 */
const OPTIONS = {
  idleTimeout: 120,
  sendPings: false,
  perMessageDeflate: false,
  backpressureLimit: 268_435_456,
  closeOnBackpressureLimit: true,
} as const;
type SocketOptions = typeof OPTIONS & SocketRoutes["options"];

/** The statuses of a key that may not be used at all, whatever is asked. */
const ENDED: ReadonlySet<number> = new Set([401, 403]);

export class Sockets implements SocketRoutes, Latecomer {
  readonly paths = [ROUTE, "/responses"];
  readonly options: SocketOptions;
  readonly #ports: HttpPorts;
  readonly #rules: () => SocketRules;
  readonly #door: Door<ChatForm>;
  readonly #bounds: OpenSockets;
  readonly #open = new Set<Connection>();
  readonly #warmUps = new CountingLimit({ what: "warm a connection up" });
  #isLooking = false;

  constructor(ports: HttpPorts) {
    this.#ports = ports;
    this.#door = openDoor(ports, OPENAI_RESPONSES);
    this.#rules = ports.sockets;
    this.#bounds = ports.openSockets;
    const { bodyBytesMax } = ports.server;
    this.options = { ...OPTIONS, maxPayloadLength: Math.min(ports.sockets().frameBytesMax, bodyBytesMax) };
  }

  /** Answers a handshake. Undefined once the connection is open. */
  async upgrade(request: Request, server: BunServer, set: HeaderStore): Promise<Response | undefined> {
    const arrival = new Arrival(this.#ports, request, server, set, { route: ROUTE, counting: this.#warmUps });
    arrival.held.release();
    try {
      const address = this.#ports.readAddress(request, server);
      const { key } = await identifyCaller(this.#ports, arrival);
      arrival.key = key;
      if (this.#ports.refusing()) throw new Fault("shutting_down", "The gateway is shutting down.");
      this.#bounds.checkRoom(key);
      const connection = this.#make(request, key, address);
      if (!server.upgrade(request, { data: connection }))
        throw invalidValue("upgrade", "expected a handshake");
      this.#add(connection);
      return undefined;
    } catch (thrown) {
      const fault = toFault(thrown);
      if (fault.code === "internal_error") throw thrown;
      this.#ports.log({ event: "socket.refused", level: "debug", reason: fault.code });
      const { refusal, headers } = noteRefusal(this.#ports, OPENAI_RESPONSES, arrival, null, fault);
      return addHeaders(createRefusalResponse(fault, refusal, headers), set);
    }
  }

  /** Looks at every connection: its age, its silence, its key, and whether the gateway still takes requests. */
  late(): void {
    const nowMs = this.#ports.deadlines.nowMs();
    for (const connection of [...this.#open]) {
      connection.keepAlive();
      this.#lookAt(connection, nowMs);
    }
    this.#isLooking = false;
    this.#watch();
  }

  #lookAt(connection: Connection, nowMs: number): void {
    const { isOn, ageMs, idleMs } = this.#rules();
    if (this.#ports.refusing() || this.#ports.draining()) {
      connection.refuseWaiting(shuttingDown());
      connection.end(CLOSED.leaving, shuttingDown(), "going_away");
    } else if (!isOn) connection.end(CLOSED.leaving, makeTurnedOff(), "going_away");
    else if (nowMs - connection.startedMs > ageMs) connection.end(CLOSED.normal, tooOld(), "limit");
    else if (connection.isIdle && nowMs - connection.activeMs > idleMs)
      connection.end(CLOSED.normal, tooOld(), "limit", "idle");
    else void this.#checkKey(connection);
  }

  /**
   * A key that was revoked or paused, has expired, was moved to another account, or whose person has left or is disabled ends
   * its connections. Used-up money doesn't.
   */
  async #checkKey(connection: Connection): Promise<void> {
    try {
      const { key } = await identifyCaller(this.#ports, makeRoute(connection.handshake));
      checkAccount(key, connection.handshake);
    } catch (thrown) {
      const fault = toFault(thrown);
      if (ENDED.has(fault.row.status)) connection.expel(fault);
    }
  }

  #make(request: Request, key: GatewayKey, address: string): Connection {
    const { id: keyId, accountId } = key;
    const { deadlines, random, clock } = this.#ports;
    const id = `sock_${mintOrderedId(random, clock.nowMs())}`;
    const headers = makeSharedHeaders(request.headers);
    const shared = new Request(request.url, { method: "POST", headers });
    const payer = namePayer(key);
    const handshake: Handshake = { id, keyId, accountId, payer, request: shared, address };
    const ports = {
      deadlines,
      rules: this.#rules,
      parse: parseFrame,
      makeTurn: (connection: Connection, frame: JsonObject, bytes: number) =>
        this.#makeTurn(connection, frame, bytes),
      runTurn: (turn: Turn, connection: TurnConnection) => this.#runTurn(id, turn, connection),
      onClose: (connection: Connection, code: number, reason: CloseReason) =>
        this.#forget(connection, code, reason),
    };
    return new Connection(ports, handshake, this.#bounds.memory.open(accountId));
  }

  async #runTurn(socketId: string, turn: Turn, connection: TurnConnection): Promise<Fault | null> {
    const { outcome, refused } = await runTurn(this.#door, turn, connection);
    const event = turn.arrival.turn?.isWarmUp ? "socket.warm_up" : "socket.turn";
    this.#ports.log({ event, level: "debug", socket_id: socketId, outcome });
    return refused;
  }

  #makeTurn(connection: Connection, frame: JsonObject, bytes: number): Turn {
    const { handshake } = connection;
    const { type: _type, generate, stream_id: streamId, headers, ...fields } = frame;
    const { previous_response_id: id } = fields;
    const own = Object.entries({ generate, headers, previous_response_id: id });
    const given = Object.fromEntries(own.filter(([, value]) => value !== null));
    const wrong = findFirstFault(CREATE, given);
    if (wrong) throw wrong;
    const isWarmUp = generate === false;
    if (isWarmUp) this.#warmUps.begin(handshake.keyId, this.#ports.clock.monotonicMs())();
    const { request, server } = makeRoute(handshake, frame);
    const { random, clock } = this.#ports;
    const set = { headers: { "x-request-id": `req_${mintOrderedId(random, clock.nowMs())}` } };
    const mark = markTurn({
      socketId: handshake.id,
      accountId: handshake.accountId,
      body: { ...fields, stream: true },
      isWarmUp,
      previous: typeof id === "string" ? connection.memory.find(id) : null,
      find: (one) => connection.memory.find(one),
    });
    const place = { route: ROUTE, counting: this.#warmUps, turn: mark };
    const arrival = new Arrival(this.#ports, request, server, set, place);
    arrival.held.expect({ owner: handshake.accountId, declaredBytes: bytes, onEnded: () => {} });
    arrival.held.arrive(bytes);
    arrival.held.finish();
    arrival.trace = this.#ports.traces.begin(request.headers.get("traceparent"), arrival);
    return { arrival, streamId: asString(streamId) ?? null };
  }

  #add(connection: Connection): void {
    this.#open.add(connection);
    this.#bounds.add(connection.handshake);
    const { id, keyId, accountId } = connection.handshake;
    const whose = { socket_id: id, key_id: keyId, account_id: accountId };
    this.#ports.log({ event: "socket.opened", level: "debug", ...whose });
    this.#watch();
  }

  #forget(connection: Connection, code: number, reason: CloseReason): void {
    this.#open.delete(connection);
    this.#bounds.remove(connection.handshake);
    const { handshake, turns, bytesIn, bytesOut, startedMs } = connection;
    this.#ports.log({
      event: "socket.closed",
      socket_id: handshake.id,
      key_id: handshake.keyId,
      account_id: handshake.accountId,
      seconds: Math.round((this.#ports.deadlines.nowMs() - startedMs) / 1000),
      turns,
      bytes_in: bytesIn,
      bytes_out: bytesOut,
      code,
      reason,
    });
  }

  /** Nothing is looked at while no connection is open. */
  #watch(): void {
    const { deadlines } = this.#ports;
    if (this.#open.size === 0 || this.#isLooking) return;
    this.#isLooking = true;
    deadlines.watch(deadlines.nowMs() + LOOK_EVERY_MS, this);
  }
}

/** Returns a turn as the request that it stands for. Most send no headers, and share the handshake's. */
function makeRoute({ request: shared, address }: Handshake, frame: JsonObject = {}) {
  const headers = addTurnHeaders(shared.headers, frame);
  const request = headers === shared.headers ? shared : new Request(shared.url, { method: "POST", headers });
  return { request, server: { requestIP: () => ({ address }), timeout: () => {} } };
}

function shuttingDown(): Fault {
  return new Fault("shutting_down", "The gateway is shutting down.");
}

function tooOld(): Fault {
  const message = "This connection has reached its age: open another.";
  return new Fault("websocket_connection_limit_reached", message);
}
