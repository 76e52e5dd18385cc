// The wait for a place at what fails for everybody: the calls that are out end soon, or in vain.
import type { Clock } from "../world/world.ts";

/** The longest wait, and the pause between two looks. */
const WAIT_MAX_MS = 2000;
const LOOK_MS = 50;

/** Waits as long as a place is lacking, at most 2 s. Times are on the monotonic clock. */
export async function waitForPlace(
  clock: Pick<Clock, "monotonicMs" | "after">,
  isLacking: (nowMs: number) => boolean,
): Promise<void> {
  const untilMs = clock.monotonicMs() + WAIT_MAX_MS;
  for (let nowMs = clock.monotonicMs(); nowMs < untilMs && isLacking(nowMs); nowMs = clock.monotonicMs())
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
}
