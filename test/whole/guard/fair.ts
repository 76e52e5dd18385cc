// `bun test/whole/guard/fair.ts [--seconds N] [--rounds N] [--only TEXT]…`: what another account gets while one key sends hostile
// texts of 30 MB, with rules and without.
import { parseArgs } from "node:util";
import { GUARDED, MODEL, sendChat, startGuarded } from "./judged-gateway.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string" },
    rounds: { type: "string" },
    only: { type: "string", multiple: true },
  },
});
const SECONDS = Number(values.seconds ?? 8);
const ROUNDS = Number(values.rounds ?? 3);
const BYTES = 30_000_000;
const HOSTILE_LANES = 2;
const OTHERS_LANES = 4;
const LEAST_SHARE = 0.8;

const TEXTS: Readonly<Record<string, string>> = {
  digits: "4532015112830367",
  "digits in groups": "4532 0151 1283 0367 ",
  "at signs": "a@a.",
  "beginnings of JWTs": "eyJhbGciOiJIUzI1NiJ9.",
  "beginnings of keys": "-----BEGIN PRIVATE KEY-----\n",
  "plus signs": "+49 30 9 ",
  hex: "0f3a9be1c2d4",
  "hex in pairs": "3c:22:",
  colons: "a:",
  prose: "the quick brown fox jumps over the lazy dog ",
};

const gateway = await startGuarded();
const other = await gateway.newAccountsKeys(1);
const plain = await gateway.newAccountsKeys(1);
const guarded = await gateway.newAccountsKeys(1, GUARDED);

/** Returns the other account's answers a second, and the hostile bodies that were answered meanwhile. */
async function countAnswers(hostile: string, secret: string) {
  const ask = JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] });
  const endMs = performance.now() + SECONDS * 1000;
  let [answers, bodies] = [0, 0];
  const lane = async (send: () => Promise<number>, count: () => void) => {
    while (performance.now() < endMs) if ((await send()) === 200) count();
  };
  const lanes = (count: number, send: () => Promise<number>, counted: () => void) =>
    Array.from({ length: count }, () => lane(send, counted));
  await Promise.all([
    ...lanes(
      HOSTILE_LANES,
      () => sendChat(gateway.url, secret, hostile),
      () => void bodies++,
    ),
    ...lanes(
      OTHERS_LANES,
      () => sendChat(gateway.url, other[0] ?? "", ask),
      () => void answers++,
    ),
  ]);
  return { answers: answers / SECONDS, bodies };
}

const rows = [];
for (const [name, text] of Object.entries(TEXTS)) {
  if (values.only?.includes(name) === false) continue;
  const content = text.repeat(Math.ceil(BYTES / text.length));
  const hostile = JSON.stringify({ model: MODEL, messages: [{ role: "user", content }] });
  const sums = { without: 0, with: 0, plainBodies: 0, guardedBodies: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const free = await countAnswers(hostile, plain[0] ?? "");
    const searched = await countAnswers(hostile, guarded[0] ?? "");
    sums.without += free.answers / ROUNDS;
    sums.with += searched.answers / ROUNDS;
    sums.plainBodies += free.bodies;
    sums.guardedBodies += searched.bodies;
  }
  const share = sums.with / sums.without;
  rows.push({
    text: name,
    "others without rules, a second": Math.round(sums.without),
    "with rules": Math.round(sums.with),
    share: `${share.toFixed(2)}${share < LEAST_SHARE ? " !" : ""}`,
    "bodies answered": `${sums.plainBodies}, ${sums.guardedBodies}`,
  });
  console.log(Object.values(rows.at(-1) ?? {}).join(" | "));
}
await gateway.stop();
console.table(rows);
