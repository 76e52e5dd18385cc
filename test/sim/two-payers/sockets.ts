// WebSockets of both payers on virtual time: the gateway's own connections, with their lanes and the memory that all share.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { namePayer } from "../../../src/core/keys/payer.ts";
import { BodyMemory } from "../../../src/http/body/body-memory.ts";
import { Arrival } from "../../../src/http/door/arrival.ts";
import { CountingLimit } from "../../../src/http/door/counting.ts";
import { Connection } from "../../../src/http/sockets/connection.ts";
import { SocketMemory } from "../../../src/http/sockets/memory.ts";
import { CLOSED, type SocketPort } from "../../../src/http/sockets/port.ts";
import type { Turn, TurnConnection } from "../../../src/http/sockets/turn.ts";
import { DeadlineSweep } from "../../../src/transport/deadlines.ts";
import type { CoreWorld, SimVisit } from "../core-world.ts";

const RULES = {
  isOn: true,
  allMax: 1000,
  perAccountMax: 1000,
  perKeyMax: 1000,
  lanesMax: 1000,
  queueMax: 1000,
  frameBytesMax: 1_000_000,
  bytesMax: 1e9,
  ageMs: 1e9,
  idleMs: 1e9,
};
/** Two members of an account share its memory: there is enough for both. */
const MEMORY = {
  apart: { accountBytesMax: 1e9, memoryBytesMax: 100_000 },
  together: { accountBytesMax: 1e9, memoryBytesMax: 1e9 },
};
const FIRST_BYTES = 300;
const SECOND_BYTES = 60_000;
const UNKNOWN = "400";
const PORT: SocketPort = {
  send: (text) => text.length,
  cork: (send) => send(),
  ping: () => {},
  close: () => {},
  terminate: () => {},
  getBufferedAmount: () => 0,
};

/** A turn that goes on from the last one of its connection. */
export interface SocketTurn {
  readonly id: string;
  readonly isFirst: boolean;
  readonly key: GatewayKey;
  readonly node: number;
  /** Sends it through the gateway's core. */
  readonly send: () => SimVisit;
  readonly describe: (thrown: unknown) => string;
}

interface OpenSocket {
  readonly connection: Connection;
  /** The turns that haven't ended. */
  readonly turns: Map<string, { readonly turn: SocketTurn; readonly end: (status: string) => void }>;
  /** The response from which the next turn goes on. */
  last: string | null;
}

class SocketNode {
  readonly #clock: ReturnType<CoreWorld["clock"]["forLife"]>;
  readonly #deadlines: DeadlineSweep;
  readonly #memory: SocketMemory;
  readonly #rules: typeof RULES & (typeof MEMORY)["apart"];
  readonly #sockets = new Map<string, OpenSocket>();
  readonly #counting = new CountingLimit();

  constructor(world: CoreWorld, isOneAccount: boolean) {
    this.#clock = world.clock.forLife(() => false);
    this.#deadlines = new DeadlineSweep(this.#clock);
    this.#rules = { ...RULES, ...(isOneAccount ? MEMORY.together : MEMORY.apart) };
    this.#memory = new SocketMemory(() => this.#rules);
  }

  /** Resolves with the turn's status. */
  run(name: string, turn: SocketTurn): Promise<string> {
    const socket = this.#sockets.getOrInsertComputed(name, () => this.#open(name, turn.key));
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.turns.set(turn.id, { turn, end: resolve });
    // The first payer has one conversation, the second as many as it has turns.
    const lane = turn.isFirst ? {} : { stream_id: turn.id };
    socket.connection.message(PORT, JSON.stringify({ type: "response.create", id: turn.id, ...lane }));
    return promise;
  }

  /** The client goes. */
  leave(name: string): void {
    this.#sockets.get(name)?.connection.close(PORT, CLOSED.leaving);
  }

  #open(name: string, key: GatewayKey): OpenSocket {
    const { id, accountId } = key;
    const request = new Request("http://gateway.example/v1/responses", { method: "POST" });
    const handshake = { id, keyId: id, accountId, payer: namePayer(key), request, address: "192.0.2.1" };
    const ports = {
      deadlines: this.#deadlines,
      rules: () => this.#rules,
      parse: (text: string): unknown => JSON.parse(text),
      makeTurn: (_connection: Connection, frame: JsonObject) => this.#makeTurn(handshake, frame),
      runTurn: async ({ arrival }: Turn, view: TurnConnection) => {
        await runTurn(socket, arrival.requestId, view);
        return null;
      },
      onClose: () => {
        // The next turn opens another.
        this.#sockets.delete(name);
        for (const { end } of socket.turns.values()) end("left");
      },
    };
    const connection = new Connection(ports, handshake, this.#memory.open(accountId));
    connection.open(PORT);
    const socket: OpenSocket = { connection, turns: new Map(), last: null };
    return socket;
  }

  #makeTurn({ request }: { request: Request }, { id, stream_id: lane }: JsonObject): Turn {
    const clock = this.#clock;
    const bodies = new BodyMemory(1e9, { nowMs: () => clock.monotonicMs() });
    const set = { headers: { "x-request-id": String(id) } };
    const route = { route: "/v1/responses", counting: this.#counting };
    const arrival = new Arrival({ bodies, clock }, request, null, set, route);
    return { arrival, streamId: typeof lane === "string" ? lane : null };
  }
}

async function runTurn(socket: OpenSocket, id: string, view: TurnConnection): Promise<void> {
  const { turn, end } = socket.turns.get(id) ?? {};
  if (turn === undefined || end === undefined) return;
  const { isFirst, send, describe } = turn;
  const previous = isFirst && socket.last !== null ? socket.connection.memory.find(socket.last) : null;
  if (isFirst && socket.last !== null && previous === null) {
    socket.last = null;
    end(UNKNOWN);
    return;
  }
  const item = { text: "x".repeat(isFirst ? FIRST_BYTES : SECOND_BYTES) };
  const remembered = { id, items: [...(previous?.items ?? []), item] };
  // A warm-up is remembered without an answer.
  if (!isFirst) view.remember(remembered);
  const { ended, leave } = send();
  const stay = view.whenGone(leave);
  const status = await ended.then(() => "200", describe);
  stay();
  if (status === "200" && isFirst) {
    view.remember(remembered);
    socket.last = id;
  }
  end(status);
  socket.turns.delete(id);
}

export class SideSockets {
  readonly #nodes: readonly SocketNode[];

  constructor(world: CoreWorld, nodes: number, isOneAccount: boolean) {
    this.#nodes = Array.from({ length: nodes }, () => new SocketNode(world, isOneAccount));
  }

  /** Resolves with the status. The second payer has a connection for each burst. */
  async run(turn: SocketTurn): Promise<string> {
    return (await this.#nodes[turn.node]?.run(nameSocket(turn), turn)) ?? "none";
  }

  leave(turn: SocketTurn): void {
    this.#nodes[turn.node]?.leave(nameSocket(turn));
  }
}

function nameSocket({ id, isFirst }: SocketTurn): string {
  return isFirst ? "first" : (id.split("-", 1)[0] ?? id);
}
