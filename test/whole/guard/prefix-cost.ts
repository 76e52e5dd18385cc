// `bun test/whole/guard/prefix-cost.ts [--pairs N]`: the CPU of the 20th turn of a conversation of 200 KB, with rules that
// report and without.
import { parseArgs } from "node:util";
import { ownCpuMicros } from "../../bench/processes.ts";
import { GUARDED, MODEL, sendChat, startGuarded } from "./judged-gateway.ts";
import { makeTurns } from "./prefix-turns.ts";

const { values } = parseArgs({ options: { pairs: { type: "string" } } });
const PAIRS = Number(values.pairs ?? 40);
const WARM = 40;
const TURNS = 20;
const MOST = 1.3;

const gateway = await startGuarded();
const plain = await gateway.newAccountsKeys(1);
const guarded = await gateway.newAccountsKeys(1, GUARDED);

/** The CPU of one conversation's last turn, whose others have been sent before. */
async function measure(secret: string, seed: number): Promise<number> {
  const turns = makeTurns(TURNS, seed);
  const write = (count: number) => JSON.stringify({ model: MODEL, messages: turns.slice(0, 2 * count - 1) });
  await sendChat(gateway.url, secret, write(TURNS - 1));
  // The gateway ends what the turn before left to do.
  await Bun.sleep(50);
  const before = ownCpuMicros(gateway.pid);
  const status = await sendChat(gateway.url, secret, write(TURNS));
  if (status !== 200) throw new Error(`The answer was ${status}.`);
  return ownCpuMicros(gateway.pid) - before;
}

const [without, searched]: [number[], number[]] = [[], []];
for (let pair = 0; pair < PAIRS + WARM; pair++) {
  const one = await measure(plain[0] ?? "", 2 * pair);
  const other = await measure(guarded[0] ?? "", 2 * pair + 1);
  if (pair < WARM) continue;
  without.push(one);
  searched.push(other);
}
await gateway.stop();

const at = (numbers: readonly number[], part: number) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * part)] ?? 0;
const compare = (part: number) => at(searched, part) / at(without, part);
const ratio = compare(0.5);
console.log(
  `The 20th turn of 200 KB: ${at(without, 0.5).toFixed(0)} µs without rules, ${at(searched, 0.5).toFixed(0)} µs with, ${ratio.toFixed(2)} times${ratio > MOST ? " !" : ""} (${compare(0.25).toFixed(2)} of the first quarters, ${compare(0.75).toFixed(2)} of the third)`,
);
