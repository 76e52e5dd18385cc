// The processes of a run, found by descent and by the folder that they work in, so that none outlives it.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it began, in the system's own form: another process may get its number. */
  readonly begun: string;
}

const PROC = "/proc";
const LOOK_EVERY_MS = 25;
/** Beyond the grace, for a process that the kernel doesn't let go. */
const KILLED_WITHIN_MS = 2_000;

/** Returns all that run on this machine. Those that have ended and wait for their parent are left out. */
function listProcesses(): readonly Process[] {
  if (!existsSync(`${PROC}/self/stat`)) return listByCommand();
  return readdirSync(PROC).flatMap((name) => {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? readStat(pid) : null;
    return stat === null ? [] : [stat];
  });
}

function readStat(pid: number): Process | null {
  try {
    const text = readFileSync(`${PROC}/${pid}/stat`, "utf8");
    // Behind the name, which may hold blanks and parentheses.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, parent, group] = fields;
    return state === "Z"
      ? null
      : { pid, parent: Number(parent), group: Number(group), begun: fields[19] ?? "" };
  } catch {
    // It has ended since.
    return null;
  }
}

/** Asks `ps`, for systems without /proc, as macOS. */
function listByCommand(): readonly Process[] {
  const { stdout } = Bun.spawnSync(["ps", "-axo", "pid=,ppid=,pgid=,stat=,lstart="], { stderr: "ignore" });
  return stdout
    .toString()
    .split("\n")
    .flatMap((line) => {
      const [pid, parent, group, state = "Z", ...begun] = line.trim().split(/\s+/);
      if (state.startsWith("Z")) return [];
      return [{ pid: Number(pid), parent: Number(parent), group: Number(group), begun: begun.join(" ") }];
    });
}

/** Returns whether it works, or its program lies, in the folder. */
function isBelow(pid: number, folder: string): boolean {
  return ["cwd", "exe"].some((link) => {
    try {
      return `${readlinkSync(`${PROC}/${pid}/${link}`)}/`.startsWith(`${folder}/`);
    } catch {
      // It has ended, is another user's, or the system doesn't tell.
      return false;
    }
  });
}

function describe({ pid }: Process): string {
  try {
    return `${pid} ${readFileSync(`${PROC}/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()}`;
  } catch {
    return String(pid);
  }
}

/** Returns the processes that work in the folder or whose program lies there, by their numbers and words. None without /proc. */
export function listBelow(folder: string): readonly string[] {
  return listProcesses().flatMap((one) => (isBelow(one.pid, folder) ? [describe(one)] : []));
}

/** Returns the processes of a group, by their numbers and words. */
export function listGroup(group: number): readonly string[] {
  return listProcesses().flatMap((one) => (one.group === group ? [describe(one)] : []));
}

/** Returns what tells a process from all others, before and after it. */
function identify({ pid, begun }: Process): string {
  return `${pid} ${begun}`;
}

/**
 * The processes that this one has started, directly or through others, and those that belong to a folder: a daemon's parent has
 * ended, but it still works where a test has put it.
 */
class Started {
  readonly #folders: readonly string[];
  /** Those that were found once. Their parent may have ended since. */
  readonly #known = new Set<string>();

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Returns those that are still there. */
  list(): readonly Process[] {
    const all = listProcesses().filter(({ pid }) => pid !== process.pid);
    const parents = new Set([process.pid]);
    const isStarted = (one: Process) =>
      parents.has(one.parent) ||
      this.#known.has(identify(one)) ||
      this.#folders.some((folder) => isBelow(one.pid, folder));
    // A parent may stand behind its child in the list.
    for (let before = 0; before < parents.size; ) {
      before = parents.size;
      for (const one of all) if (!parents.has(one.pid) && isStarted(one)) parents.add(one.pid);
    }
    const left = all.filter(({ pid }) => parents.has(pid));
    for (const one of left) this.#known.add(identify(one));
    return left;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended since.
  }
}

/**
 * Ends all that this process has started and all that works below the folders. Those of its own group, and its children, are
 * asked at first, so that the servers which end with them can do so in order; the rest is killed after the grace.
 */
export async function endStarted(folders: readonly string[], graceMs: number): Promise<void> {
  const begunMs = performance.now();
  const started = new Started(folders);
  let left = started.list();
  const { group } = readStat(process.pid) ?? { group: process.pid };
  for (const one of left) if (one.parent === process.pid || one.group === group) signal(one.pid, "SIGTERM");
  while (left.length > 0 && performance.now() - begunMs < graceMs + KILLED_WITHIN_MS) {
    await Bun.sleep(LOOK_EVERY_MS);
    left = started.list();
    if (performance.now() - begunMs >= graceMs) for (const { pid } of left) signal(pid, "SIGKILL");
  }
}
