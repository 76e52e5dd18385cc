// The unit of cost, what is counted in it, and the kept costs that are wrong.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { version } from "typescript/package.json";
import { isWrong } from "./costs.ts";
import { readTree, Yardstick } from "./unit/unit.ts";

/** With another tree or compiler every kept cost is in another unit: they change with it, by what one takes in the other. */
const FROZEN = "fd8dea1f95d6d970";
const COMPILER = "7.0.2";

test("the tree of the unit is frozen, and so is what checks it", () => {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const [name, text] of readTree()) hasher.update(`${name}\n${text}`);
  expect(hasher.digest("hex").slice(0, 16)).toBe(FROZEN);
  expect(version).toBe(COMPILER);
});

test("a kept cost is wrong if both runs differ from it, in one direction and by more than chance", () => {
  expect(isWrong({ kept: 10, measured: [13, 12.5] })).toBe(true);
  expect(isWrong({ kept: 10, measured: [7, 7.5] })).toBe(true);
  expect(isWrong({ kept: null, measured: [0.1, 0.1] })).toBe(true);
  expect(isWrong({ kept: 10, measured: [13, 11] })).toBe(false);
  expect(isWrong({ kept: 10, measured: [13, 7] })).toBe(false);
  // A file alone loads what it otherwise finds loaded.
  expect(isWrong({ kept: 0.1, measured: [0.7, 0.7] })).toBe(false);
});

/** Works for 400 ms of CPU. */
const WORK =
  "for (let sum = 0, until = process.cpuUsage().user + 400_000; process.cpuUsage().user < until; ) for (let n = 0; n < 1e6; n++) sum += n;";

/** Prints the seconds that a run counts of a command. */
const COUNT = `import { Commands } from "${import.meta.dir}/command.ts";
const commands = new Commands(() => {});
await commands.run(process.argv.slice(1), process.env);
let cpu = commands.cpu;
for (let looks = 0; looks < 200 && cpu < 0.4; looks++) { await Bun.sleep(50); cpu = commands.cpu; }
console.log(cpu);`;

test.skipIf(!existsSync("/proc/self/task/self/children") && process.platform !== "linux").each([
  ["of its own", [process.execPath, "-e", WORK]],
  ["of a daemon", ["sh", "-c", 'setsid "$0" -e "$1" & exit 0', process.execPath, WORK]],
  [
    "of one that is killed",
    ["sh", "-c", '"$0" -e "$1; process.kill(process.pid, 9)"; exit 0', process.execPath, WORK],
  ],
])("a command's CPU counts: %s", async (_, command) => {
  const child = Bun.spawn([process.execPath, "-e", COUNT, ...command], { stdout: "pipe" });
  expect(Number(await new Response(child.stdout).text())).toBeGreaterThanOrEqual(0.4);
});

test("a run within another counts by its unit", () => {
  expect(new Yardstick("1.5").count(6)).toBe(4);
});
