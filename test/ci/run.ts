// The program behind `.ci/run` and `npm run check`: the gate, then all steps beside each other. Ends with `N passed, N failed`.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { enterPlace, leaveOnSignal } from "../runner/place.ts";
import { closeCommands } from "./process.ts";
import { runWhole } from "./whole-run.ts";

const HELP = `usage: .ci/run [long] [--only STEP,STEP] [--fresh] [--keep-times]
       npm run check

  long          whole tables, all mutants, more kills, a soak
  --only        these steps and what they need, without the gate
  --fresh       takes no install of an earlier run
  --keep-times  writes test/ci/times.data.json, by which the longest steps start first
  --check       the gate alone, as \`npm run check\` runs it`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    fresh: { type: "boolean", default: false },
    "keep-times": { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
/** A run of tests within a step needs less. */
const GRACE_MS = 4_000;
const place = enterPlace();
leaveOnSignal(place, GRACE_MS, () => {
  closeCommands();
  console.log("0 passed, 1 failed");
});

function giveUp(error: unknown) {
  console.log(`error: ${error instanceof Error ? error.message : error}`);
  return { passed: 0, failed: 1 };
}

const isLong = positionals.includes("long");
const { passed, failed } = await runWhole({
  root: join(import.meta.dir, "..", ".."),
  only: values.only?.split(",").map((name) => name.trim()) ?? null,
  isLong,
  isFresh: values.fresh,
  isCheck: values.check,
  // The long form's times say nothing of the usual one.
  keepsTimes: values["keep-times"] && !isLong,
}).catch(giveUp);
await place.leave(GRACE_MS);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
