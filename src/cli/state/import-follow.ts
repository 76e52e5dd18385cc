// `poundkey import … --follow`: repeats the import until it is stopped, and prints what has changed.
import type { Io } from "../../app/terminal.ts";
import type { Report, ReportRow } from "../../moving/report.ts";

/** LiteLLM writes what was spent about once a minute. */
const EVERY_MS = 15_000;

interface FollowParts {
  readonly io: Io;
  readonly isJson: boolean;
  /** Imports once more. */
  readonly repeat: () => Promise<Report>;
}

/** Returns after the first SIGINT or SIGTERM, and a last repeat. A repeat that fails is said, and followed by the next. */
export async function followImport({ io, isJson, repeat }: FollowParts): Promise<void> {
  const turns = startTurns();
  io.err(
    "Following the other gateway. End this with Ctrl-C once it is stopped and its last spending is here.",
  );
  for (let isOver = false; !isOver; ) {
    // The last time after the signal: the other gateway may have written its last spending just before.
    isOver = !(await turns.wait());
    try {
      for (const row of (await repeat()).changes) io.out(formatChange(row, isJson));
    } catch (error) {
      io.err(`poundkey import: ${error instanceof Error ? error.message : error}`);
    }
  }
  turns.end();
}

function formatChange({ item, outcome, words }: ReportRow, isJson: boolean): string {
  const at = new Date().toISOString();
  return isJson ? JSON.stringify({ at, item, outcome, words }) : `${at} ${item}: ${outcome}, ${words}`;
}

function startTurns() {
  let isOver = false;
  let wake = () => {};
  const stop = () => {
    isOver = true;
    wake();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  const wait = () =>
    new Promise<boolean>((resolve) => {
      if (isOver) return resolve(false);
      const timer = setTimeout(() => resolve(true), EVERY_MS);
      wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  const end = () => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  };
  return { wait, end };
}
