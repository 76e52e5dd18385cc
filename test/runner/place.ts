// The folders that hold all that a run's tests write for a while: one on the disk and one in memory. They go with the run.
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endStarted } from "./processes.ts";

const MEMORY = "/dev/shm";

export interface Place {
  readonly folder: string;
  /** Ends all that the run has started, and removes the folders. */
  leave(graceMs: number): Promise<void>;
}

/** Makes the folders, and makes them the ones for temporary files, of this process and of those that get its environment. */
export function enterPlace(): Place {
  const folders = [tmpdir(), ...(existsSync(MEMORY) ? [MEMORY] : [])].map((parent) => {
    const made = mkdtempSync(join(parent, "poundkey-"));
    // As for any folder of temporary files: PostgreSQL runs as another user where the tests run as root.
    chmodSync(made, 0o1777);
    return made;
  });
  const [folder = "", memory = folder] = folders;
  process.env.TMPDIR = folder;
  process.env.TEST_MEMORY = memory;
  return {
    folder,
    async leave(graceMs) {
      await endStarted(folder, graceMs);
      for (const one of folders) rmSync(one, { recursive: true, force: true });
    },
  };
}

/** Leaves the place when the run is interrupted, and ends with the exit code of that signal. */
export function leaveOnSignal(place: Place, graceMs: number, begin: () => void): void {
  const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
  for (const [name, code] of Object.entries(signals)) {
    process.on(name, () => {
      begin();
      void place.leave(graceMs).finally(() => process.exit(code));
    });
  }
}
