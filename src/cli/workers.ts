// Several processes on one port: a parent that starts them, passes signals on and starts one anew when it dies.

const WORKER_VARIABLE = "POUNDKEY_WORKER";
const RESTART_PAUSE_MS = 1000;

/** Whether this process is one of several: then the port is shared. */
export const IS_WORKER = process.env[WORKER_VARIABLE] !== undefined;

/** This process's own command line: the binary alone, or Bun with the entry file. */
export function ownCommand(): readonly string[] {
  return [process.execPath, ...process.argv.slice(Bun.isStandaloneExecutable ? 2 : 1)];
}

/** Runs `count` workers until they are told to stop; gives the exit code of the worst. */
export async function superviseWorkers(count: number): Promise<number> {
  let stopping = false;
  const running = new Set<Bun.Subprocess>();
  const passOn = (signal: NodeJS.Signals) => {
    if (signal !== "SIGHUP") stopping = true;
    for (const worker of running) worker.kill(signal);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => passOn(signal));
  const keepAlive = async (number: number): Promise<number> => {
    for (;;) {
      const worker = Bun.spawn([...ownCommand()], {
        env: { ...process.env, [WORKER_VARIABLE]: String(number) },
        stdio: ["ignore", "inherit", "inherit"],
      });
      running.add(worker);
      const code = await worker.exited;
      running.delete(worker);
      // A worker that ended before it served would only do so again.
      if (stopping || code === 1 || code === 2) return code;
      await Bun.sleep(RESTART_PAUSE_MS);
    }
  };
  const codes = await Promise.all(Array.from({ length: count }, (_, number) => keepAlive(number)));
  return Math.max(...codes);
}
