// One client's connection: its frames become turns, and its end is theirs.
import { Fault, toFault } from "../../core/faults/fault.ts";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { SocketRules } from "../../core/settings.ts";
import type { Deadlines } from "../../core/world/world.ts";
import { OPENAI_RESPONSES } from "../../surfaces/openai-responses/surface.ts";
import { refusalHeaders } from "../serve/answers.ts";
import { writeFailure } from "./frames.ts";
import { Lanes } from "./lanes.ts";
import type { ConnectionMemory, RememberedTurn } from "./memory.ts";
import { CLOSED, type CloseReason, type SocketPort } from "./port.ts";
import type { Turn, TurnConnection } from "./turn.ts";
import { SocketWriter } from "./writer.ts";

/** After so many frames within a minute that aren't requests, the connection ends. */
const REFUSED_FRAMES_MAX = 100;
const MINUTE_MS = 60_000;
const PING_EVERY_MS = 30_000;

/** The code of a connection that ended without a close frame. */
const DROPPED = 1006;
/** Bun's words for frames that it closes a connection for, beside that code (1.4). Its client gets another. */
const BAD_FRAME = /^Received /;
const FRAME_TOO_LARGE = "Received too big message";
const INVALID_TEXT = "Received invalid UTF-8";

/** The parts of the gateway that a connection needs. */
interface ConnectionPorts {
  readonly deadlines: Deadlines;
  readonly rules: () => SocketRules;
  /** Reads a frame within bounds. Throws the Fault `invalid_json`. */
  readonly parse: (text: string) => unknown;
  /** Makes a turn of a frame. Throws Faults for what can't be a request. */
  readonly makeTurn: (connection: Connection, frame: JsonObject, bytes: number) => Turn;
  /** Runs it to its end. Returns the failure of a key that may not be used. */
  readonly runTurn: (turn: Turn, connection: TurnConnection) => Promise<Fault | null>;
  readonly onClose: (connection: Connection, code: number, reason: CloseReason) => void;
}

/** The handshake of a connection, and whose it is. */
export interface Handshake {
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly payer: string;
  /** The request that a turn stands for, with the headers that hold for all of them. */
  readonly request: Request;
  readonly address: string;
}

/** The connection as a turn of one lane sees it. */
class LaneView implements TurnConnection {
  readonly #connection: Connection;
  readonly #lane: string;

  constructor(connection: Connection, lane: string) {
    this.#connection = connection;
    this.#lane = lane;
  }

  send(frame: string): Promise<void> | null {
    return this.#connection.send(frame);
  }

  sendAll(frames: readonly string[]): Promise<void> | null {
    return this.#connection.sendAll(frames);
  }

  remember(turn: RememberedTurn): void {
    if (!this.#connection.isClosed) this.#connection.memory.keep(this.#lane, turn);
  }

  whenGone(leave: () => void): () => void {
    return this.#connection.whenGone(leave);
  }
}

/** The end of a connection once nothing runs on it, and the Fault of later requests. */
interface ConnectionClosing {
  readonly code: number;
  readonly reason: CloseReason;
  readonly fault: Fault;
  /** The words of the close frame. */
  readonly words: string;
  /** True if an error frame goes before the close. */
  readonly hasError: boolean;
}

export class Connection {
  readonly handshake: Handshake;
  readonly startedMs: number;
  readonly lanes = new Lanes();
  readonly memory: ConnectionMemory;
  turns = 0;
  bytesIn = 0;
  /** When it last did something, on the monotonic clock. */
  activeMs: number;
  readonly #ports: ConnectionPorts;
  readonly #leaving = new Set<() => void>();
  #port: SocketPort | null = null;
  #writer: SocketWriter | null = null;
  #refused: number[] = [];
  #pingedMs: number;
  #isClosed = false;
  /** The turns that wait for those before them in their lane. */
  readonly #waiting = new Set<Turn>();
  /** Set once it closes when nothing runs on it any more. */
  #closing: ConnectionClosing | null = null;

  constructor(ports: ConnectionPorts, handshake: Handshake, memory: ConnectionMemory) {
    this.#ports = ports;
    this.handshake = handshake;
    this.memory = memory;
    this.startedMs = ports.deadlines.nowMs();
    this.activeMs = this.startedMs;
    this.#pingedMs = this.startedMs;
  }

  get bytesOut(): number {
    return this.#writer?.bytesOut ?? 0;
  }

  get isIdle(): boolean {
    return this.lanes.isIdle;
  }

  open(port: SocketPort): void {
    this.#port = port;
    this.#writer = new SocketWriter(port, this.#ports.deadlines);
  }

  message(_port: SocketPort, data: string | Uint8Array): void {
    this.activeMs = this.#ports.deadlines.nowMs();
    const bytes = typeof data === "string" ? Buffer.byteLength(data) : data.length;
    this.bytesIn += bytes;
    if (this.#isClosed) return;
    let streamId: string | null = null;
    let isCreate = false;
    try {
      if (typeof data !== "string") throw notObject("a binary one");
      const frame = this.#ports.parse(data);
      if (!isObject(frame)) throw notObject("other JSON");
      if (typeof frame.stream_id === "string") streamId = frame.stream_id.slice(0, 256);
      if (frame.type === "response.steer") return void this.send(refuseSteering(frame));
      if (frame.type !== "response.create") throw invalidValue("type", "expected response.create");
      isCreate = true;
      this.#create(frame, bytes);
    } catch (thrown) {
      const fault = toFault(thrown);
      this.#tell(fault, streamId);
      if (!isCreate) this.#countRefused(fault);
    }
  }

  /** Pings the client if that is due: a proxy may cut off what is silent for a minute. */
  keepAlive(): void {
    const nowMs = this.#ports.deadlines.nowMs();
    if (nowMs - this.#pingedMs < PING_EVERY_MS) return;
    this.#pingedMs = nowMs;
    this.#port?.ping();
  }

  drain(): void {
    this.#writer?.drain();
  }

  /** The client's own words aren't passed on: what isn't said in ours can be anything. */
  close(_port: SocketPort, code: number, words = ""): void {
    if (this.#writer?.isCut) this.#leave(code, "slow_client");
    else if (code !== DROPPED) this.#leave(code, "client_closed");
    else if (words === FRAME_TOO_LARGE) this.#leave(CLOSED.tooLarge, "frame_too_large");
    else if (words === INVALID_TEXT) this.#leave(CLOSED.invalidText, "invalid_frame");
    else if (BAD_FRAME.test(words)) this.#leave(CLOSED.badFrame, "invalid_frame");
    else this.#leave(code, "client_gone");
  }

  /** Ends the connection, at once or when what runs on it has ended. Later requests are refused with the Fault. */
  end(code: number, fault: Fault, reason: CloseReason, words: string = fault.code): void {
    this.#closing ??= { code, reason, fault, words, hasError: false };
    this.#closeIdle();
  }

  /** Refuses the turns that wait. Those that run go on. */
  refuseWaiting(fault: Fault): void {
    for (const turn of this.#waiting) {
      turn.arrival.held.release();
      this.#tell(fault, turn.streamId);
    }
    this.#waiting.clear();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isEnding(): boolean {
    return this.#closing !== null;
  }

  /**
   * Ends the connection of a key that may not be used any more. Waiting turns are refused at once, running ones end first:
   * until then the connection itself sends no error, since clients take one without a lane for the end of a turn.
   */
  expel(fault: Fault): void {
    if (this.isEnding) return;
    this.#closing = { code: CLOSED.refused, reason: "key_ended", fault, words: fault.code, hasError: true };
    this.refuseWaiting(fault);
    this.#closeIdle();
  }

  send(frame: string): Promise<void> | null {
    return this.#writer?.send(frame) ?? null;
  }

  sendAll(frames: readonly string[]): Promise<void> | null {
    return this.#writer?.sendAll(frames) ?? null;
  }

  whenGone(leave: () => void): () => void {
    if (this.#isClosed) leave();
    else this.#leaving.add(leave);
    return () => void this.#leaving.delete(leave);
  }

  #create(frame: JsonObject, bytes: number): void {
    const rules = this.#ports.rules();
    const lane = this.lanes.readName(frame.stream_id, rules);
    if (this.#closing !== null) throw this.#closing.fault;
    const turn = this.#ports.makeTurn(this, frame, bytes);
    this.#waiting.add(turn);
    try {
      this.lanes.add(lane, rules, () => this.#run(turn, new LaneView(this, lane)));
    } catch (thrown) {
      this.#waiting.delete(turn);
      turn.arrival.held.release();
      throw thrown;
    }
  }

  async #run(turn: Turn, inLane: TurnConnection): Promise<void> {
    // The client has left while the turn waited, or it was refused.
    const hasWaited = this.#waiting.delete(turn);
    if (this.#isClosed) return void turn.arrival.held.release();
    if (hasWaited) {
      this.turns++;
      const refused = await this.#ports.runTurn(turn, inLane);
      this.activeMs = this.#ports.deadlines.nowMs();
      if (refused) this.expel(refused);
    }
    // The lane counts as busy until this has returned.
    queueMicrotask(() => queueMicrotask(() => this.#closeIdle()));
  }

  #closeIdle(): void {
    const closing = this.#closing;
    if (closing === null || this.#isClosed || !this.isIdle) return;
    if (closing.hasError) this.#tell(closing.fault, null);
    // Bun tells of the end as if it were the client's.
    this.#leave(closing.code, closing.reason);
    this.#port?.close(closing.code, closing.words);
  }

  #countRefused(fault: Fault): void {
    const nowMs = this.#ports.deadlines.nowMs();
    this.#refused = this.#refused.filter((atMs) => nowMs - atMs < MINUTE_MS);
    this.#refused.push(nowMs);
    if (this.#refused.length > REFUSED_FRAMES_MAX)
      this.end(CLOSED.refused, fault, "refused_frames", "refused_frames");
  }

  #tell(fault: Fault, streamId: string | null): void {
    const refusal = OPENAI_RESPONSES.refuse(fault, "");
    this.send(writeFailure({ ...refusal, headers: refusalHeaders(fault, refusal) }, streamId));
  }

  #leave(code: number, reason: CloseReason): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#writer?.close();
    this.memory.close();
    for (const leave of [...this.#leaving]) leave();
    this.#leaving.clear();
    this.#ports.onClose(this, code, reason);
  }
}

function notObject(got: string): Fault {
  return new Fault("invalid_json", `Expected a text frame with a JSON object, but got ${got}.`);
}

function refuseSteering({ input, previous_response_id }: JsonObject): string {
  const message = "A response that is being made can't be steered here: send the next request instead.";
  return JSON.stringify({
    type: "response.steer.failed",
    error: { type: "invalid_request_error", code: "steering_not_supported", message },
    steer: { input, previous_response_id },
    sequence_number: 0,
  });
}
