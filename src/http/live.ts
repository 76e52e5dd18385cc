// GET /admin/v1/requests/live: requests as they end, as server-sent events, while the operator is signed in.
import { Elysia } from "elysia";
import type { LiveFeed } from "../admin/live.ts";
import { requestView } from "../admin/requests.ts";
import { Fault, toFault } from "../core/fault.ts";
import type { RequestRecord } from "../core/record.ts";
import type { Clock } from "../core/world.ts";
import { dataLine, KEEP_ALIVE_LINE } from "../surfaces/event-stream.ts";
import { STREAM_HEADERS } from "./answers.ts";
import { IDLE_SECONDS } from "./app.ts";
import { type Asked, checkOperator, type OperatorParts } from "./operator.ts";
import { describeRoute } from "./route-schema.ts";

const KEEP_ALIVE_MS = 15_000;
/** A reader with this many unread writes is disconnected. It may reconnect. */
const UNREAD_MAX = 200;

interface LivePorts extends OperatorParts {
  readonly feed: LiveFeed;
  readonly clock: Pick<Clock, "every">;
  readonly draining: () => boolean;
}

export function liveRoutes(ports: LivePorts) {
  return new Elysia({ prefix: "/admin/v1" }).get(
    "/requests/live",
    async ({ request, server }) => {
      const asked = { request, server };
      await checkOperator(ports, asked);
      if (ports.draining()) throw new Fault("shutting_down", "The gateway is shutting down.");
      const events = new LiveEvents(ports, asked);
      await events.begin();
      return new Response(new ReadableStream(events, { highWaterMark: 1 }), {
        headers: STREAM_HEADERS,
      });
    },
    describeRoute(
      "Log",
      "watchRequests",
      "Watch requests as they end",
      "Server-sent events, each with a request as the log shows it.",
    ),
  );
}

const encoder = new TextEncoder();

class LiveEvents implements UnderlyingDefaultSource<Uint8Array> {
  readonly #ports: LivePorts;
  readonly #asked: Asked;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #leave = () => {};
  #callOff = () => {};
  #over = false;

  constructor(ports: LivePorts, asked: Asked) {
    this.#ports = ports;
    this.#asked = asked;
  }

  async begin(): Promise<void> {
    this.#leave = await this.#ports.feed.listen(
      (records, skipped) => this.#sendRecords(records, skipped),
      () => this.#end(),
    );
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { request, server } = this.#asked;
    this.#controller = controller;
    server?.timeout(request, 0);
    // Losing the connection before the body is first read doesn't cancel the stream.
    request.signal.addEventListener("abort", () => this.#end(), { once: true });
    if (request.signal.aborted) {
      this.#end();
      return;
    }
    this.#callOff = this.#ports.clock.every(KEEP_ALIVE_MS, () => void this.#keepAlive());
    this.#send(": listening\n\n");
  }

  cancel(): void {
    this.#end();
  }

  #sendRecords(records: readonly RequestRecord[], skipped: number): void {
    if (skipped > 0) this.#send(`event: skipped\n${dataLine(JSON.stringify({ requests: skipped }))}`);
    this.#send(records.map((record) => dataLine(JSON.stringify(requestView(record)))).join(""));
  }

  /** Ends if the session has ended. An unusable store proves nothing about it. */
  async #keepAlive(): Promise<void> {
    try {
      await checkOperator(this.#ports, this.#asked);
    } catch (thrown) {
      if (toFault(thrown).row.blame === "client") return this.#end();
    }
    this.#send(KEEP_ALIVE_LINE);
  }

  #send(text: string): void {
    if (this.#over || this.#controller === null) return;
    if ((this.#controller.desiredSize ?? 0) < -UNREAD_MAX) this.#end();
    else this.#controller.enqueue(encoder.encode(text));
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#leave();
    this.#callOff();
    const { request, server } = this.#asked;
    server?.timeout(request, IDLE_SECONDS);
    try {
      this.#controller?.close();
    } catch {
      // The reader has already left.
    }
  }
}
