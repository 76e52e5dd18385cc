// Starts the gateway as README.md says and runs the command that it prints. What it leaves in the folder stays there for the
// tests, which mustn't see it.
import { openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const WAIT_MS = 60_000;
const LOOK_MS = 200;
const out = join(tmpdir(), `poundkey-start-${process.pid}`);
const log = openSync(out, "a");

const { PATH = "", HOME = "" } = process.env;
const child = Bun.spawn(["npm", "start"], {
  cwd: ROOT,
  env: { PATH, HOME },
  stdin: "ignore",
  stdout: log,
  stderr: log,
  detached: true,
});

/** Returns the first command that it prints, as soon as it has printed both; null if it doesn't. */
async function findCommand(): Promise<string | null> {
  const endMs = performance.now() + WAIT_MS;
  while (performance.now() < endMs && child.exitCode === null) {
    const printed = readFileSync(out, "utf8");
    if (/^curl -N .*\n/m.test(printed)) return /^curl .*$/m.exec(printed)?.[0] ?? null;
    await Bun.sleep(LOOK_MS);
  }
  return null;
}

function isLeft(): boolean {
  try {
    return process.kill(-child.pid, 0);
  } catch {
    return false;
  }
}

async function stop(): Promise<void> {
  while (isLeft()) {
    process.kill(-child.pid, "SIGTERM");
    await Bun.sleep(LOOK_MS);
  }
}

const command = await findCommand();
const asked =
  command === null ? null : Bun.spawn(["bash", "-c", command], { stdin: "ignore", stderr: "pipe" });
const answer = asked === null ? "no command was printed" : await new Response(asked.stdout).text();
await stop();
const isAnswered = answer.includes('"content"');
if (!isAnswered) {
  console.log(readFileSync(out, "utf8"));
  if (asked !== null) console.log(await new Response(asked.stderr).text());
  console.log(`error: the printed command got no answer: ${answer}`);
}
rmSync(out);
console.log(isAnswered ? "1 passed, 0 failed" : "0 passed, 1 failed");
process.exit(isAnswered ? 0 : 1);
