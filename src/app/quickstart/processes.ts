// Asks the system about a process: its user, its start and its program.
import { readFileSync, readlinkSync, statSync } from "node:fs";

interface FoundProcess {
  /** The user who runs it. */
  readonly uid: number;
  /** When it began, by the system's own clock of processes. Another process with the same id began at another time. */
  readonly started: string;
  /** The path of its program. */
  readonly file: string;
  /** Its command line, the words separated by spaces. */
  readonly line: string;
}

/** Returns null if there is no such process, or if the system doesn't say. */
export function findProcess(pid: number): FoundProcess | null {
  try {
    return process.platform === "linux" ? readProcess(pid) : askForProcess(pid);
  } catch {
    return null;
  }
}

/** The 22nd field of `/proc/PID/stat` is the start in clock ticks since the system's. The second may hold spaces and brackets. */
const STARTED = 22;
const AFTER_NAME = 3;
/** Linux names a program so whose file was replaced, as by an upgrade. */
const DELETED = / \(deleted\)$/;

function readProcess(pid: number): FoundProcess {
  const folder = `/proc/${pid}`;
  const stat = readFileSync(`${folder}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    uid: statSync(folder).uid,
    started: fields[STARTED - AFTER_NAME] ?? "",
    file: readlinkSync(`${folder}/exe`).replace(DELETED, ""),
    line: readFileSync(`${folder}/cmdline`, "utf8").split("\0").join(" ").trim(),
  };
}

/** `lstart` depends on the language and the time zone. */
const ENVIRONMENT = { LC_ALL: "C", TZ: "UTC", PATH: "/bin:/usr/bin" };
/** The user, and five words of a time such as `Sat Nov 28 17:29:17 2026`. */
const STARTED_LINE = /^\s*(\d+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/;

/** Elsewhere there is no `/proc`. */
function askForProcess(pid: number): FoundProcess | null {
  const [, uid = "", started = "", line = ""] = STARTED_LINE.exec(ask(pid, "uid", "lstart", "args")) ?? [];
  const file = ask(pid, "comm").trim();
  return uid === "" || file === "" ? null : { uid: Number(uid), started, file, line: line.trim() };
}

function ask(pid: number, ...columns: readonly string[]): string {
  const words = ["ps", "-ww", ...columns.flatMap((column) => ["-o", `${column}=`]), "-p", String(pid)];
  return Bun.spawnSync(words, { env: ENVIRONMENT, stderr: "ignore" }).stdout.toString();
}
