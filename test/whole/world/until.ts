// Waits for a condition by polling up to a deadline.

const LOOK_EVERY_MS = 20;

/** By its name a run tells what a busy machine delays from what is wrong, as of Bun's own limits. */
class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** Calls `look` until it returns something truthy, and returns that. Throws after `withinMs`. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found> | Found,
  withinMs = 60_000,
): Promise<NonNullable<Found>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new TimeoutError(`not within ${withinMs} ms: ${what}`);
    await Bun.sleep(LOOK_EVERY_MS);
  }
}
