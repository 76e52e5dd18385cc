// The chapter on what happens to a balance: its figures are those of requests played against a gateway.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatPlainUsd } from "../../src/core/money/money.ts";
import { closeBooks } from "../whole/world/money-asking.ts";
import { type Books, type MoneyWorld, type Payer, startMoneyWorld } from "../whole/world/money-world.ts";
import { playEnding } from "../whole/world/play-ending.ts";
import { until } from "../whole/world/until.ts";
import { type Example, MONEY_EXAMPLES } from "./money-examples.ts";

const FILE = join(import.meta.dir, "..", "..", "src", "docs", "money-by-example.md");
const SECTION = /(<!-- examples: .* -->\n)[\s\S]*?(<!-- end of examples -->)/;
const BALANCE_USD = 1;
const REFUSED_BEFORE_ADMISSION = [402, 429];
const TEST_MS = 30_000;

let usual: MoneyWorld;
let always: MoneyWorld;
beforeAll(async () => {
  [usual, always] = await Promise.all([
    startMoneyWorld(),
    startMoneyWorld("billing: { charge: always, markup: 1.25 }"),
  ]);
});
afterAll(async () => {
  for (const world of [usual, always]) await closeBooks(world);
});

/** Returns the table's row: the client's answer, the hold and the charge of the last request, and the reason. */
async function playExample(example: Example): Promise<string> {
  const { when, because, repeats = 0, balanceUsd = BALANCE_USD, key, isAlwaysCharged = false } = example;
  const world = isAlwaysCharged ? always : usual;
  world.provider.reset();
  const payer = await world.payer(balanceUsd, key);
  for (let repeat = 0; repeat < repeats; repeat++) await playOnce(world, example, payer);
  const before = world.books(payer);
  const [status, code] = await playOnce(world, example, payer);
  const after = world.books(payer);
  const row = after.requests[before.requests.length];
  const held = formatPlainUsd(Number(row?.hold_nano ?? 0));
  const charged = formatPlainUsd(before.balance - after.balance);
  return `| ${when} | ${describeAnswer(status, code)} | $${held} | $${charged} | ${because} |`;
}

async function playOnce(world: MoneyWorld, example: Example, payer: Payer) {
  const before: Books = world.books(payer);
  const [status, code] = await playEnding(world, example, payer.secret);
  const isReplayed = example.headers?.["Idempotency-Key"] !== undefined && before.requests.length > 0;
  const isAdmitted = !REFUSED_BEFORE_ADMISSION.includes(status ?? 0) && !isReplayed;
  await world.settled(payer, before.requests.length + (isAdmitted ? 1 : 0));
  await until("no upstream call is left", () => world.gated.open + world.provider.calls.open === 0);
  return [status, code] as const;
}

function describeAnswer(status: number | null, code: string | null): string {
  if (status === null) return "nothing more";
  if (code === null) return String(status);
  return status === 200 ? `200, then \`${code}\`` : `${status} \`${code}\``;
}

test(
  "the chapter's figures are those of the requests (UPDATE_DOCS=1 updates them)",
  async () => {
    const parts: string[] = [];
    for (const { title, examples } of MONEY_EXAMPLES) {
      const rows: string[] = [];
      for (const example of examples) rows.push(await playExample(example));
      const head = ["| when | the client gets | held before | charged | because |", "|---|---|---|---|---|"];
      parts.push([`## ${title}`, "", ...head, ...rows, ""].join("\n"));
    }
    const text = readFileSync(FILE, "utf8");
    expect(text).toMatch(SECTION);
    const wanted = text.replace(SECTION, (_, start, end) => `${start}\n${parts.join("\n")}\n${end}`);
    if (process.env.UPDATE_DOCS) writeFileSync(FILE, wanted);
    else expect(text).toBe(wanted);
  },
  TEST_MS,
);
