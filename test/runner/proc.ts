// A process as Linux tells of it: what it and its ended children have taken, and its children that run on.
import { readdirSync, readFileSync } from "node:fs";

const PROC = "/proc";
const MS_PER_TICK = 10;

/** Returns the CPU of a process and of the children that it has waited for. Null if it is gone, or the system doesn't tell. */
export function readProcess(pid: number): { readonly hasEnded: boolean; readonly cpuMs: number } | null {
  try {
    const text = readFileSync(`${PROC}/${pid}/stat`, "utf8");
    // Behind the name, which may hold blanks: own user and system time are fields 14 and 15, the ended children's 16 and 17.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0);
    return { hasEnded: fields[0] === "Z", cpuMs: ticks * MS_PER_TICK };
  } catch {
    return null;
  }
}

/** Returns the children of all threads of a process, those too that have ended and wait for it. */
export function listChildren(pid: number): readonly number[] {
  try {
    return readdirSync(`${PROC}/${pid}/task`).flatMap((thread) => {
      const listed = readFileSync(`${PROC}/${pid}/task/${thread}/children`, "utf8");
      return (listed.match(/\d+/g) ?? []).map(Number);
    });
  } catch {
    return [];
  }
}
