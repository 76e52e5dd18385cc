// Judges a command of the README by what it prints, answers and leaves.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { IS_LONG } from "../../harness/long.ts";
import { type Running, startCommand, waitUntil } from "./processes.ts";
import { chooseForm, type Row } from "./rows.ts";

const MINUTE_MS = 60_000;
/** Several times what the slowest takes. `npm test` ends by its own limits. */
const LIMIT_MS = (IS_LONG ? 300 : 10) * MINUTE_MS;
const TESTS_LIMIT_MS = 300 * MINUTE_MS;
const ANSWER_MS = MINUTE_MS;
const SHOW_EVERY_MS = 500;

const COUNTS = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm;
/** A quick start's calls: the first whole, the second as a stream. */
const CALLS = /^curl (?!-N).*$[\s\S]*^curl -N .*\n/m;
const WARNING = /^.*(?:\bwarn|deprecated|EBADENGINE).*$/im;

export interface Place {
  /** The folder of all that this run makes. */
  readonly folder: string;
  readonly clone: string;
  /** The checkout that runs this, which has the packages of tests. */
  readonly root: string;
  /** A reader's environment. */
  readonly env: Record<string, string>;
  /** Those of `npm test`. */
  readonly options: readonly string[];
  /** Variables that only `npm test` gets. */
  readonly testEnv: Record<string, string>;
  /** The text of the README's example. */
  readonly example: string;
}

export interface Verdict {
  /** The reason why it doesn't work; null if it does. */
  readonly problem: string | null;
  readonly printed: string;
  /** Of a command that runs tests, if it ended with them. */
  readonly counts?: Counts | null;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A gateway that has started, and what runs beside it. */
export type Meanwhile = (printed: string) => Promise<void>;

let logs = 0;

function start(place: Place, words: readonly string[], row?: Row): Running {
  const home = join(place.folder, "home");
  mkdirSync(home, { recursive: true });
  const env = row?.hasOwnHome ? { ...place.env, HOME: home } : place.env;
  return startCommand(words, { cwd: place.clone, env, log: join(place.folder, `${++logs}.log`) });
}

/** Runs a command, has it judged, and ends what is left of it. */
async function watch(running: Running, judgeIt: () => Promise<string | null>): Promise<Verdict> {
  const problem = await judgeIt();
  const left = await running.finish();
  return { problem: problem ?? left, printed: running.read() };
}

function startShell(place: Place, command: string, row?: Row): Running {
  return start(place, ["sh", "-c", command], row);
}

/** Waits for the end. Returns why it isn't a good one; null if it is. */
async function end(running: Running, prints: RegExp, limitMs = LIMIT_MS): Promise<string | null> {
  if (!(await waitUntil(() => running.code() !== null, limitMs))) return "it doesn't end";
  if (running.code() !== 0) return `its exit code is ${running.code()}`;
  return prints.test(running.read()) ? null : `it doesn't print ${prints}`;
}

/** Waits until it prints what it should. Returns why it doesn't; null if it does. */
async function see(running: Running, prints: RegExp): Promise<string | null> {
  const isSeen = () => prints.test(running.read());
  await waitUntil(() => isSeen() || running.code() !== null, LIMIT_MS);
  if (isSeen()) return null;
  return running.code() === null ? `it doesn't print ${prints}` : `it ended with exit code ${running.code()}`;
}

/** Runs a command to its end. Returns why it isn't a good one; null if it is. */
async function runToEnd(place: Place, command: string, prints: RegExp, row?: Row): Promise<string | null> {
  const running = startShell(place, command, row);
  const { problem, printed } = await watch(running, () => end(running, prints));
  return problem === null ? null : `\`${command}\`: ${problem}\n${printed}`;
}

/** Runs the calls that a quick start prints. Returns why one isn't answered; null if both are. */
async function call(place: Place, printed: string): Promise<string | null> {
  const [first = "", second = ""] = printed.match(/^curl .*$/gm) ?? [];
  return (
    (await runToEnd(place, first, /"content": *"./)) ?? (await runToEnd(place, second, /^data: \[DONE\]$/m))
  );
}

async function judgeStart(place: Place, running: Running, meanwhile: Meanwhile): Promise<string | null> {
  const unseen = await see(running, CALLS);
  if (unseen !== null) return unseen;
  const printed = running.read();
  const [warning] = WARNING.exec(printed) ?? [];
  const problem = warning === undefined ? await call(place, printed) : `it warns: ${warning}`;
  await meanwhile(printed);
  return problem ?? running.interrupt();
}

async function judgePage(running: Running, prints: RegExp): Promise<string | null> {
  const unseen = await see(running, prints);
  if (unseen !== null) return unseen;
  const [, page] = prints.exec(running.read()) ?? [];
  const problem = page === undefined ? null : await open(page);
  return problem ?? running.interrupt();
}

async function open(page: string): Promise<string | null> {
  try {
    const { status } = await fetch(page, { signal: AbortSignal.timeout(ANSWER_MS) });
    return status === 200 ? null : `${page} answers with ${status}`;
  } catch (error) {
    return `${page}: ${String(error)}`;
  }
}

/** Runs the example with the gateway's address and key, and the SDK that the tests have. */
async function judgeExample(place: Place, gateway: string): Promise<Verdict> {
  const [, address] = /^ {2}Base URL +(\S+)$/m.exec(gateway) ?? [];
  const [, key] = /^ {2}API key +(\S+)$/m.exec(gateway) ?? [];
  const { example } = place;
  if (address === undefined || key === undefined) return { problem: "there is no gateway", printed: gateway };
  const text = example.replace(/"http:\/\/127[^"]*"/, `"${address}"`).replace('"sk-…"', `"${key}"`);
  if (!text.includes(`"${address}"`) || !text.includes(`"${key}"`))
    return { problem: "it has no place for the address and the key", printed: example };
  const folder = join(place.folder, "example");
  mkdirSync(folder);
  symlinkSync(join(place.root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "example.mjs"), text);
  const running = start(place, [process.execPath, join(folder, "example.mjs")]);
  return watch(running, () => end(running, /\w/));
}

/** Runs `npm test` and prints what it prints. Its own failures aren't ours: they are in its counts. */
async function judgeTests(place: Place): Promise<Verdict> {
  const words = ["npm", "test", ...(place.options.length > 0 ? ["--", ...place.options] : [])];
  const running = start({ ...place, env: { ...place.env, ...place.testEnv } }, words);
  let shown = 0;
  const hasEnded = () => {
    const isOver = running.code() !== null;
    const text = running.read();
    const lines = text.slice(shown, isOver ? undefined : text.lastIndexOf("\n") + 1);
    process.stdout.write(lines);
    shown += lines.length;
    return isOver;
  };
  const { problem, printed } = await watch(running, async () =>
    (await waitUntil(hasEnded, TESTS_LIMIT_MS, SHOW_EVERY_MS)) ? null : "it doesn't end",
  );
  const counts = readCounts(printed);
  return { problem: problem ?? compareCode(running.code(), counts), printed: "", counts };
}

function readCounts(printed: string): Counts | null {
  const line = [...printed.matchAll(COUNTS)].at(-1);
  if (line === undefined) return null;
  const [passed = 0, failed = 0, skipped = 0] = line.slice(1).map((count) => Number(count ?? 0));
  return { passed, failed, skipped };
}

function compareCode(code: number | null, counts: Counts | null): string | null {
  if (counts === null) return `it doesn't end with its counts; its exit code is ${code}`;
  return (code === 0) === (counts.failed === 0)
    ? null
    : `its exit code is ${code} with ${counts.failed} failed`;
}

/** Runs the row's command, and whatever belongs beside its gateway. `gateway` is what the one printed that this one needs. */
export async function judge(
  place: Place,
  row: Row,
  { gateway, meanwhile }: { readonly gateway: string; readonly meanwhile: Meanwhile },
): Promise<Verdict> {
  if (row.judged.by === "answer") return judgeExample(place, gateway);
  if (row.judged.by === "counts") return judgeTests(place);
  const running = startShell(place, chooseForm(row).command, row);
  const { problem, printed } = await watch(running, () => judgeRunning(place, running, row, meanwhile));
  const { undo } = row;
  const kept = undo === undefined ? null : await runToEnd(place, undo.command, undo.prints, row);
  return { problem: problem ?? kept, printed };
}

function judgeRunning(
  place: Place,
  running: Running,
  { judged }: Row,
  meanwhile: Meanwhile,
): Promise<string | null> {
  switch (judged.by) {
    case "quick start":
      return judgeStart(place, running, meanwhile);
    case "page":
      return judgePage(running, judged.prints);
    case "end":
      return end(running, judged.prints);
    default:
      return Promise.resolve(`nothing judges it by ${judged.by}`);
  }
}
