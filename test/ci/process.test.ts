// The commands of steps: what they print, what they cost, and that none outlives its time.
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../whole/world/until.ts";
import { runCommand } from "./process.ts";

const limits = { cwd: tmpdir(), minutes: 1 };

test("a command's output is kept in its order, with its exit code and its environment", async () => {
  const ran = await runCommand(["sh", "-c", 'echo one; echo "$WORD" >&2; echo three; exit 3'], {
    ...limits,
    env: { WORD: "two" },
  });
  expect(ran).toMatchObject({ code: 3, text: "one\ntwo\nthree\n" });
});

test("it reads nothing, whatever the run's own input is", async () => {
  expect((await runCommand(["sh", "-c", "cat; echo end"], limits)).text).toBe("end\n");
});

test("the processor time of its children counts", async () => {
  const busy = "for (let n = 0, end = performance.now() + 300; performance.now() < end; ) n++";
  const { cpu } = await runCommand(["sh", "-c", '"$0" -e "$1"; true', process.execPath, busy], limits);
  expect(cpu).toBeGreaterThan(0);
});

test("beyond its minutes it is ended, with all that it has started, and is red", async () => {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-late-"));
  const path = join(folder, "pid");
  const ran = await runCommand(["sh", "-c", `sleep 600 & echo $! >"${path}"; wait`], {
    ...limits,
    minutes: 0.02,
  });
  expect(ran).toMatchObject({ code: 1, text: expect.stringContaining("error: ended after 0.02 minutes") });
  await until("the child is gone", () => !existsSync(`/proc/${readFileSync(path, "utf8").trim()}/exe`));
  rmSync(folder, { recursive: true });
});
