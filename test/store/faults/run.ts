// `bun test/store/faults/run.ts [--seconds N]`: each store fault for half a minute. Ends with `N passed, N failed`.
import { parseArgs } from "node:util";
import { FAULTS } from "./faults.ts";
import { suffer } from "./scenario.ts";

const { values } = parseArgs({ options: { seconds: { type: "string" } } });
const lastsMs = 1000 * Number(values.seconds ?? 30);
const count = { passed: 0, failed: 0 };

for (const { name, isPossible, make } of FAULTS) {
  if (!isPossible) {
    console.log(`(skip) ${name}: this user or this machine can't bring it about`);
    continue;
  }
  const fault = make();
  try {
    const { refused, healedMs } = await suffer(fault, { lastsMs });
    count.passed++;
    console.log(
      `(pass) ${name}: ${refused} requests refused, healed ${Math.round(healedMs)} ms after its end`,
    );
  } catch (error) {
    count.failed++;
    console.log(`(fail) ${name}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    fault.remove();
  }
}
console.log(`\n${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed === 0 ? 0 : 1);
