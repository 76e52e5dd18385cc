// GET /admin/v1/requests/live: requests as they end, as server-sent events, while the operator is signed in.
import { Elysia } from "elysia";
import type { LiveFeed, LiveListener } from "../../admin/log/live.ts";
import { requestView } from "../../admin/log/requests.ts";
import { Fault, toFault } from "../../core/faults/fault.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import type { Scope } from "../../core/people/people.ts";
import type { Clock } from "../../core/world/world.ts";
import { dataLine, KEEP_ALIVE_LINE } from "../../surfaces/event-stream.ts";
import { describeRoute } from "../openapi/route-schema.ts";
import { checkOperator, type OperatorParts, type OperatorRequest } from "../people/operator.ts";
import { STREAM_HEADERS } from "../serve/answers.ts";

const KEEP_ALIVE_MS = 15_000;
/** Revoked tokens and people who are signed out see nothing more after this time. */
const CHECK_MS = 500;
/** A reader with this many unread writes is disconnected. It may reconnect. */
const UNREAD_MAX = 200;

interface LivePorts extends OperatorParts {
  readonly feed: LiveFeed;
  readonly clock: Pick<Clock, "every">;
  readonly draining: () => boolean;
  /** The idle time of a connection once its stream has ended. */
  readonly idleSeconds: number;
}

export function liveRoutes(ports: LivePorts) {
  return new Elysia({ prefix: "/admin/v1" }).get(
    "/requests/live",
    async ({ request, server, route }) => {
      const asked = { request, server, route };
      const { scope, access } = await checkOperator(ports, asked, "requests.read");
      const listener = { scope, sender: `${access.actor.kind} ${access.actor.id}` };
      if (ports.draining()) throw new Fault("shutting_down", "The gateway is shutting down.");
      return new Response(await openEvents(ports, asked, listener), { headers: STREAM_HEADERS });
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

/** Opens the stream of events. It ends with the connection, the feed or the session, or if the reader is too slow. */
async function openEvents(
  ports: LivePorts,
  asked: OperatorRequest,
  listener: LiveListener,
): Promise<ReadableStream<Uint8Array>> {
  const { request, server } = asked;
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isOver = false;
  let leave = () => {};
  let callOff = () => {};
  const end = () => {
    if (isOver) return;
    isOver = true;
    leave();
    callOff();
    server?.timeout(request, ports.idleSeconds);
    closeStream(controller);
  };
  const send = (text: string) => {
    if (isOver || controller === null) return;
    if ((controller.desiredSize ?? 0) < -UNREAD_MAX) end();
    else controller.enqueue(encoder.encode(text));
  };
  leave = await ports.feed.listen(
    (rows, skipped) => formatEvents(rows, skipped, listener.scope).forEach(send),
    end,
    listener,
  );
  return new ReadableStream(
    {
      start(opened) {
        controller = opened;
        server?.timeout(request, 0);
        // Losing the connection before the body is first read doesn't cancel the stream.
        request.signal.addEventListener("abort", end, { once: true });
        if (request.signal.aborted) return end();
        const keepAlive = ports.clock.every(KEEP_ALIVE_MS, () => send(KEEP_ALIVE_LINE));
        const check = ports.clock.every(CHECK_MS, () => endIfSignedOut(ports, asked, listener.scope, end));
        callOff = () => {
          for (const stop of [keepAlive, check]) stop();
        };
        send(": listening\n\n");
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}

function closeStream(controller: ReadableStreamDefaultController<Uint8Array> | null): void {
  try {
    controller?.close();
  } catch {
    // The reader has already left.
  }
}

function formatEvents(records: readonly RequestRecord[], skipped: number, scope: Scope): readonly string[] {
  const rows = records.map((record) => dataLine(JSON.stringify(requestView(record, scope)))).join("");
  return skipped > 0 ? [`event: skipped\n${dataLine(JSON.stringify({ requests: skipped }))}`, rows] : [rows];
}

/** Calls `end` if the sender's session has ended. */
async function endIfSignedOut(ports: LivePorts, asked: OperatorRequest, before: Scope, end: () => void) {
  if (await isSignedOut(ports, asked, before)) end();
}

/** True if the session has ended, or sees other rows than it did. An unusable store proves nothing about it. */
async function isSignedOut(ports: LivePorts, asked: OperatorRequest, before: Scope): Promise<boolean> {
  try {
    const { scope } = await checkOperator(ports, asked, "requests.read");
    return JSON.stringify(scope) !== JSON.stringify(before);
  } catch (thrown) {
    return toFault(thrown).row.blame === "client";
  }
}
