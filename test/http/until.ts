// Waiting for something to become so, by looking again and again up to a deadline.

const LOOK_EVERY_MS = 20;

/** Looks until `look` gives something true, which it gives; throws when `withinMs` have passed without it. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found> | Found,
  withinMs = 20_000,
): Promise<NonNullable<Found>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await Bun.sleep(LOOK_EVERY_MS);
  }
}
