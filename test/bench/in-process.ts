// The CPU time of work within this process.

export interface Rounds {
  /** Requests before the first round. */
  readonly before: number;
  readonly requests: number;
  readonly rounds: number;
}

/** Returns microseconds of CPU time per request: the minimum of the rounds, since interference only adds. */
export async function measureCpu(
  work: () => Promise<void>,
  atOnce: number,
  { before, requests, rounds }: Rounds,
): Promise<number> {
  await repeat(work, before, atOnce);
  const costs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const since = process.cpuUsage();
    await repeat(work, requests, atOnce);
    const { user, system } = process.cpuUsage(since);
    costs.push((user + system) / requests);
  }
  return Math.min(...costs);
}

async function repeat(work: () => Promise<void>, requests: number, atOnce: number): Promise<void> {
  let left = requests;
  const one = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
