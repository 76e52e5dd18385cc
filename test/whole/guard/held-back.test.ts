// How much of a stream is held back while its provider waits after each character: counted, at every step.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { ReadText, type SteppedUpstream, startStepped } from "./stepped-upstream.ts";

const STEPS = IS_LONG ? 2000 : 600;
const SURFACES = ["/v1/chat/completions", "/v1/messages"] as const;
const SWAP_MOST = 40;
const SEARCH_MOST = 256;
/** An answer's headers leave with its first text, so there is more than is held back. */
const BEGUN = "Begin. ".repeat(50);
const EMAIL = "ada@corp-x.de";
const RULES = [
  "{ name: swap, detect: [email], action: swap, keys: [] }",
  "{ name: mask, detect: [secrets, contact, finance, network, ids], action: mask, at: [answer], keys: [] }",
];

let upstream: SteppedUpstream;
let own: UnderTest;
beforeAll(async () => {
  upstream = startStepped();
  own = await startUnderTest({ more: `${upstream.row}\nguard: { rules: [${RULES.join(", ")}] }` });
});
afterAll(async () => {
  await own.stop();
  await upstream.stop();
});

/** A part of an answer, and what becomes of it. */
interface Part {
  readonly sent: string;
  readonly shown: string;
}
const plain = (sent: string): Part => ({ sent, shown: sent });

/** A request that has begun to be answered, and the placeholder of its address. */
async function ask(path: string, content: string, guard: readonly string[]) {
  const { secret } = await own.newKey({ name: "stepped", guard, requests_per_day: null });
  const body = {
    model: "Stepped#any",
    messages: [{ role: "user", content }],
    stream: true,
    max_tokens: 9000,
  };
  const asked = upstream.next();
  const answering = fetch(own.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const [placeholder = ""] = /EMAIL_[0-9A-Z]{8}/.exec(await asked) ?? [];
  return { answering, placeholder };
}

/** Sends parts again and again, a character at a time, and waits for what must have left by then. */
async function step(answering: Promise<Response>, parts: readonly Part[], heldMost: number): Promise<void> {
  upstream.send(BEGUN);
  const read = new ReadText(await answering);
  const text: Part[] = [plain(BEGUN)];
  for (let sent = BEGUN.length, at = 0; sent < BEGUN.length + STEPS; at++) {
    const part = parts[at % parts.length] ?? plain(" ");
    text.push(part);
    for (const character of part.sent) {
      upstream.send(character);
      sent++;
      await read.reach(countShown(text, sent - heldMost));
    }
  }
  upstream.end();
  await read.over;
  expect(read.text).toBe(text.map(({ shown }) => shown).join(""));
}

/** Returns how many characters are shown of the first so many that were sent. A value counts once it is whole. */
function countShown(parts: readonly Part[], characters: number): number {
  let left = characters;
  let shown = 0;
  for (const part of parts) {
    if (left <= 0) break;
    if (left >= part.sent.length) shown += part.shown.length;
    else if (part.sent === part.shown) shown += left;
    left -= part.sent.length;
  }
  return shown;
}

function writeSwapped(name: string): readonly Part[] {
  const forms = [
    `<${name}>`,
    name,
    `&lt;${name}&gt;`,
    `\\u003c${name}\\u003E`,
    `%3c${name.toLowerCase()}%3E`,
  ];
  const nearly = [
    ` or <${name.slice(0, -1)}! `,
    " EMAIL_EMAIL_<EMAIL <<<EMAIL_00000000> ",
    " &lt; \\u003cem %3 ",
  ];
  return [...forms, name.replace("_", "\\_")].flatMap((sent, at) => [
    { sent, shown: EMAIL },
    plain(nearly[at % nearly.length] ?? ""),
  ]);
}

const MASKED: readonly Part[] = [
  { sent: "bob@corp-y.de", shown: "[EMAIL]" },
  plain(", but 4532 0151 1283 0367 is none. "),
  { sent: "4532 0151 1283 0366", shown: "[CARD]" },
  plain(
    ` and a.b.c@d.e.f@ ${"x".repeat(300)} ${"9".repeat(70)} eyJhbGciOiJIUzI1NiJ9.eyJ -----BEGIN PRIVATE KEY-----. `,
  ),
  { sent: "DE89 3704 0044 0532 0130 00", shown: "[IBAN]" },
  plain(" is one, and GB83WEST12345698765432 is none. "),
];

describe.each(SURFACES)("%s", (path) => {
  test("at most 40 characters are held back where values are swapped", async () => {
    const { answering, placeholder } = await ask(path, `I am ${EMAIL}.`, ["swap"]);
    expect(placeholder).not.toBe("");
    await step(answering, writeSwapped(placeholder), SWAP_MOST);
  });

  test("nothing is held back where no value was swapped", async () => {
    const { answering } = await ask(path, "I am nobody.", ["swap"]);
    await step(answering, [plain("It is <EMAIL_00000000>, \\u003cEMAIL_0 and bob@corp-y.de. ")], 0);
  });

  test("at most 256 characters are held back where answers are searched", async () => {
    const { answering } = await ask(path, "I am nobody.", ["mask"]);
    await step(answering, MASKED, SEARCH_MOST);
  });

  test("both bounds add up", async () => {
    const { answering, placeholder } = await ask(path, `I am ${EMAIL}.`, ["swap", "mask"]);
    await step(answering, [...MASKED, ...writeSwapped(placeholder)], SWAP_MOST + SEARCH_MOST);
  });
});
