// A turn of a connection: the same request as a POST with everything in it, answered in frames.
import { type Fault, toFault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { logBug } from "../../core/world/bug.ts";
import type { WrittenAnswer } from "../../gateway/answer/flow.ts";
import type { RequestContext } from "../../gateway/context.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type { Stamp } from "../../surfaces/surface.ts";
import type { Arrival } from "../door/arrival.ts";
import type { ClientCall } from "../door/client-call.ts";
import { answerRequest } from "../door/door.ts";
import { noteRefusal, type Outlet } from "../door/outlet.ts";
import { makeKept } from "../door/plain-run.ts";
import type { Door } from "../door/ports.ts";
import type { Run } from "../door/run.ts";
import { refusalHeaders } from "../serve/answers.ts";
import { factHeaders, makeReader } from "../serve/headers.ts";
import { addFields, splitEvents, writeFailure } from "./frames.ts";
import { makeRemembered, type RememberedTurn } from "./memory.ts";

/** The connection of a turn, as it concerns the turn. */
export interface TurnConnection {
  /** Sends a frame. Returns a promise to wait for before more is read from the provider, or null. */
  send(frame: string): Promise<void> | null;
  /** The same for several. */
  sendAll(frames: readonly string[]): Promise<void> | null;
  remember(turn: RememberedTurn): void;
  /** Takes what ends the turn if the client leaves. Returns what takes it back. */
  whenGone(leave: () => void): () => void;
}

/** A client's request for a response. */
export interface Turn {
  readonly arrival: Arrival;
  readonly streamId: string | null;
}

/** The result of a turn: `left` if its client went first, `refused` if nobody was asked. */
type TurnOutcome = "completed" | "failed" | "refused" | "left";

interface EndedTurn {
  readonly outcome: TurnOutcome;
  /** The failure of a key that may not be used, with which the connection ends. Null for all others. */
  readonly refused: Fault | null;
}

/** Runs a turn to its end. */
export async function runTurn(
  door: Door<ChatForm>,
  { arrival, streamId }: Turn,
  connection: TurnConnection,
): Promise<EndedTurn> {
  try {
    return await answerRequest(door, arrival, new TurnOutlet(door, streamId, connection));
  } finally {
    arrival.held.release();
  }
}

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: 0, charged: 0 };

/** Answers in frames, in order. The first has the headers of the answer over HTTP. */
class TurnOutlet implements Outlet<ChatForm, EndedTurn> {
  readonly tellsBugs = true;
  readonly #door: Door<ChatForm>;
  readonly #streamId: string | null;
  readonly #connection: TurnConnection;
  #headers: JsonObject | null = null;

  constructor(door: Door<ChatForm>, streamId: string | null, connection: TurnConnection) {
    this.#door = door;
    this.#streamId = streamId;
    this.#connection = connection;
  }

  /** The connection tells when its client has gone. */
  async stream(arrival: Arrival, run: Run<ChatForm>, context: RequestContext<ChatForm>): Promise<EndedTurn> {
    const { ports, surface } = this.#door;
    const answer = run.stream(context);
    const stay = this.#connection.whenGone(() => {
      run.ending.end();
      answer.leave();
    });
    try {
      await answer.begin();
      const headers = factHeaders(context, makeReader(ports.clock, surface));
      this.#headers = { "x-request-id": arrival.requestId, ...headers };
      return { outcome: await this.#pour(arrival, run.call, answer), refused: null };
    } finally {
      stay();
    }
  }

  /** A failure is the answer's last event. */
  async #pour(
    { requestId, earlier }: Arrival,
    call: ClientCall<ChatForm>,
    answer: WrittenAnswer,
  ): Promise<TurnOutcome> {
    const { ports } = this.#door;
    try {
      await answer.pour((data) => this.#write(String(data)));
      const kept = makeKept(call, answer.finish());
      if (kept && !earlier.isRemembered) await ports.kept.keep(call.key, kept);
      this.#write(answer.end());
      if (kept && earlier.stored === null) this.#connection.remember(makeRemembered(kept));
      return "completed";
    } catch (thrown) {
      logBug(ports, thrown);
      const fault = toFault(thrown);
      this.#write(answer.fail(fault, requestId) ?? "");
      return fault.code === "client_gone" ? "left" : "failed";
    }
  }

  refuse(arrival: Arrival, context: RequestContext<ChatForm> | null, fault: Fault): EndedTurn {
    const { ports, surface } = this.#door;
    const { refusal, headers } = noteRefusal(ports, surface, arrival, context, fault);
    const named = { ...refusalHeaders(fault, refusal, headers), "x-request-id": arrival.requestId };
    this.#connection.send(writeFailure({ ...refusal, headers: named }, this.#streamId));
    const outcome = fault.code === "client_gone" ? "left" : context?.attempts ? "failed" : "refused";
    return { outcome, refused: refusal.status === 401 ? fault : null };
  }

  whole(): never {
    throw new Error("A turn's answer is always streamed.");
  }

  /** Answers without asking anybody: what the client sent is remembered for the next turn. */
  async warmUp(run: Run<ChatForm>): Promise<EndedTurn> {
    const call = await run.warmUp();
    const { id, created, requestId, exchange, selection, ask } = call;
    const stamp: Stamp = {
      id,
      created,
      model: selection.kind === "card" ? selection.card.id : ask.model,
      nameStored: () => id,
      sealHistory: () => null,
      countPrompt: () => 0,
    };
    const writer = exchange.writer(() => stamp);
    writer.write([{ choices: [], usage: NO_USAGE }]);
    this.#headers = { "x-request-id": requestId };
    for (const frame of splitEvents(writer.end()))
      if (!frame.startsWith('{"type":"response.in_progress"')) this.#connection.send(this.#complete(frame));
    const made = makeKept(call, writer.finish?.());
    if (made !== null) this.#connection.remember(makeRemembered(made));
    return { outcome: "completed", refused: null };
  }

  /** Sends a stream's events. */
  #write(text: string): Promise<void> | null {
    return this.#connection.sendAll(splitEvents(text).map((frame) => this.#complete(frame)));
  }

  /** Only the first frame has headers, and most turns have no name of a lane. */
  #complete(frame: string): string {
    const headers = this.#headers;
    if (headers === null && this.#streamId === null) return frame;
    this.#headers = null;
    const more = {
      ...(headers === null ? {} : { headers }),
      ...(this.#streamId === null ? {} : { stream_id: this.#streamId }),
    };
    return addFields(frame, more);
  }
}
