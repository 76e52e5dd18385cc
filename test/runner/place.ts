// The folders that hold all that a run's tests write for a while: one on the disk and one in memory. They go with the run.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endStarted } from "./processes.ts";

/** A run within another has its folders in those of the other, which goes last. */
const MEMORY = process.env.TEST_MEMORY ?? "/dev/shm";

export interface Place {
  readonly folder: string;
  /** Ends all that the run has started, and removes the folders. Doesn't return once the run is interrupted. */
  leave(graceMs: number): Promise<void>;
  /** The same for a run that is interrupted: from then on nothing else may end it, or say how it ended. */
  interrupt(graceMs: number): Promise<void>;
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
  let isInterrupted = false;
  return {
    folder,
    leave: (graceMs) => (isInterrupted ? new Promise(() => {}) : clear(folders, graceMs)),
    interrupt(graceMs) {
      isInterrupted = true;
      return clear(folders, graceMs);
    },
  };
}

/** `folders` begins with the one on the disk. */
async function clear(folders: readonly string[], graceMs: number): Promise<void> {
  const [folder = ""] = folders;
  await endStarted(folders, graceMs);
  unmountBelow(folder);
  for (const one of folders) rmSync(one, { recursive: true, force: true });
}

const MOUNTS = "/proc/self/mounts";

/** Takes away the disks that a test has mounted and couldn't unmount any more. */
function unmountBelow(folder: string): void {
  if (!existsSync(MOUNTS)) return;
  const mounts = readFileSync(MOUNTS, "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");
  for (const mount of mounts.filter((path) => path.startsWith(`${folder}/`)))
    Bun.spawnSync(["umount", mount]);
}

/** Leaves the place when the run is interrupted, and ends with the exit code of that signal. */
export function leaveOnSignal(place: Place, graceMs: number, begin: () => void): void {
  const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
  for (const [name, code] of Object.entries(signals)) {
    process.on(name, () => {
      begin();
      void place.interrupt(graceMs).finally(() => process.exit(code));
    });
  }
}
