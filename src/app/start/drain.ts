// Drains a gateway: clients get notice, running requests may finish, and those that take too long get an error.
import { Fault } from "../../core/faults/fault.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { clock } from "../world.ts";

/** The time for which answers ask clients to close their connections before the listener stops. */
export const NOTICE_MS = 300;
/** The longest wait for answers that began before the notice. Others are still served meanwhile. */
const EARLIER_ANSWERS_MS = 5000;
/** The time that clients have to read the last event of a stream that is cut off. */
const CUT_OFF_MS = 1000;

export interface DrainState {
  /** True once the gateway reports that it isn't ready and asks clients to close their connections. */
  draining: boolean;
  /** True once new work is refused. */
  refusing: boolean;
}

interface DrainParts {
  readonly ending: DrainState;
  /** True if another gateway also has the port. */
  readonly isRelieved: boolean;
  readonly server: { stop(now?: boolean): Promise<void> } | null;
  readonly gateway: Gateway;
  /** Starts no line of a batch any more. */
  readonly runner: { stop(withinMs: number): Promise<void> };
  readonly drainMs: number;
  readonly noticeMs: number;
}

/** Resolves when no connection is left. */
export async function drain(parts: DrainParts): Promise<void> {
  const { ending, isRelieved, server, gateway, runner, drainMs, noticeMs } = parts;
  ending.draining = true;
  const linesEnded = runner.stop(drainMs);
  // If another gateway has the port too, requests that still arrive are served; new connections reach the other.
  ending.refusing = !isRelieved;
  const end = () => gateway.underWay.end(new Fault("shutting_down", "The gateway is shutting down."));
  const calledOff = [
    clock.after(drainMs, end),
    clock.after(drainMs + CUT_OFF_MS, () => void server?.stop(true)),
  ];
  // A connection closed without notice loses the request that its client is about to send on it. Answers that began
  // before the notice didn't carry it, so the gateway first waits for them.
  if (isRelieved) await gateway.underWay.waitUntilEnded(Math.min(EARLIER_ANSWERS_MS, drainMs));
  if (noticeMs > 0) await new Promise<void>((resolve) => clock.after(noticeMs, resolve));
  ending.refusing = true;
  await server?.stop();
  await linesEnded;
  // Answers whose clients have left are also finished, because a retry with the same idempotency key may need them.
  await gateway.waitUntilSettled(drainMs + CUT_OFF_MS);
  for (const callOff of calledOff) callOff();
}
