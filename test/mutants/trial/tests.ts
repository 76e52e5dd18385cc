// Runs tests in a copy of the project, within the CPU that they may take.

/** All of a file's tests. Beyond that, nobody knows whether one would have failed. */
const FILE_MAX_MS = 600_000;
/** Enough simulated days to catch each of the mutants. More only cost time for a mutant that survives. */
const DAYS = "400";

export interface Run {
  readonly hasFailed: boolean;
  readonly hasEnded: boolean;
  /** It has taken all of the CPU that it may. */
  readonly isCut: boolean;
  readonly output: string;
}

/** The CPU that tests may still take. Infinity for any. */
export interface Purse {
  seconds: number;
}

interface Tests {
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeMaxMs?: number;
}

/** Runs tests in that copy. They have failed if one of them has; a title that no test has any more fails nothing. */
export async function runTests(
  copy: string,
  purse: Purse,
  { flags, env = {}, timeMaxMs = FILE_MAX_MS }: Tests,
): Promise<Run> {
  const limit =
    purse.seconds === Number.POSITIVE_INFINITY ? "unlimited" : Math.max(1, Math.ceil(purse.seconds));
  const within = ["sh", "-c", `ulimit -S -t ${limit}; exec "$@"`, "sh"];
  const command = [process.execPath, "test", "--bail", "--timeout", "60000", ...flags];
  const child = Bun.spawn([...within, ...command], {
    cwd: copy,
    env: { ...process.env, LONG: "1", SIM_DAYS: DAYS, ...env },
    stdout: "pipe",
    stderr: "pipe",
    timeout: timeMaxMs,
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  purse.seconds -= Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000;
  const output = `${out}\n${err}`;
  const isCut = child.signalCode === "SIGXCPU";
  const ran = { hasFailed: false, hasEnded: child.signalCode === null, isCut, output };
  if (!ran.hasEnded || /^error: regex ".*" matched 0 tests/m.test(output)) return ran;
  // A copy whose tests can't even be loaded proves nothing.
  const hasRun =
    /^Ran \d+ tests?/m.test(output) &&
    !/^error: (Cannot find|Export named|".*" has already been declared)|Unhandled error between tests/m.test(
      output,
    );
  if (!hasRun) throw new Error(`The tests could not be run:\n${output}`);
  return { ...ran, hasFailed: code !== 0 && /^\(fail\) /m.test(output) };
}

/** The first failure ends a test before it stops what it started: a gateway in a session of its own would outlive the run. */
export function stopLeft(copy: string): void {
  if (Bun.which("pkill") !== null) Bun.spawnSync(["pkill", "-KILL", "-f", `${copy}/src/`]);
}
