// Tells a busy machine by the run's own type check.

/** The cost of a check. */
export interface Cost {
  readonly seconds: number;
  /** Seconds of the processor. */
  readonly cpu: number;
}

/** A machine on which the type check takes so many times what is kept for it lets tests run out of their time. */
const TIMES_MIN = 3;

/**
 * Returns the words for how busy the machine is; null if it isn't. Both in seconds: limits of time know no unit, and `kept` is of the
 * slowest machine that isn't busy.
 */
export function describeBusy(types: Cost, kept: Cost): string | null {
  const times = Math.max(types.cpu / kept.cpu, types.seconds / kept.seconds);
  if (!(times >= TIMES_MIN)) return null;
  const [took, usual] = [types, kept].map(
    ({ seconds, cpu }) => `${seconds.toFixed(0)} s (${cpu.toFixed(0)} s of CPU)`,
  );
  return `the type check took ${took}, and usually takes ${usual}`;
}
