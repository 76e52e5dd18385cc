// Processes whose parent has ended, as a daemon's has. On Linux they become this process's children, so that their CPU counts.
import { dlopen, FFIType } from "bun:ffi";
import { listChildren, readProcess } from "./proc.ts";

const LOOK_EVERY_MS = 200;
/** Of `linux/prctl.h` and `bits/waitflags.h`. */
const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;

const { i32, u64, ptr } = FFIType;
const SYMBOLS = {
  prctl: { args: [i32, u64, u64, u64, u64], returns: i32 },
  waitpid: { args: [i32, ptr, i32], returns: i32 },
} as const;

function openLibrary() {
  try {
    return dlopen("libc.so.6", SYMBOLS);
  } catch {
    // Another system, or another C library: there they aren't counted.
    return null;
  }
}

/** Those that this process has started and waits for. */
const owned = new Set<number>();

/** Tells of a process that this one has started, which no look takes for an orphan. */
export function own<Child extends Pick<Bun.Subprocess, "pid" | "exited">>(child: Child): Child {
  owned.add(child.pid);
  void child.exited.finally(() => owned.delete(child.pid));
  return child;
}

/** Adopts what the processes that this one starts leave behind, and lets it go when it ends. */
export class Orphans {
  readonly #library = openLibrary();
  readonly #runningMs = new Map<number, number>();
  #endedMs = 0;

  /** From now on each child that isn't one's own is an orphan. */
  adopt(): void {
    if (this.#library?.symbols.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) !== 0) return;
    setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Returns the seconds of CPU of all orphans so far. */
  measure(): number {
    if (this.#library !== null) this.#look();
    const running = [...this.#runningMs.values()].reduce((sum, one) => sum + one, 0);
    return (this.#endedMs + running) / 1000;
  }

  #look(): void {
    for (const pid of listChildren(process.pid)) {
      const child = owned.has(pid) ? null : readProcess(pid);
      if (child === null) continue;
      this.#runningMs.set(pid, child.cpuMs);
      if (!child.hasEnded) continue;
      this.#library?.symbols.waitpid(pid, null, WNOHANG);
      this.#runningMs.delete(pid);
      this.#endedMs += child.cpuMs;
    }
  }
}
