// Values of answers that are longer than what may wait, and what becomes of the rest of them.
import { expect, test } from "bun:test";
import { createAnswerScanner } from "../../src/guard/answer-search.ts";
import { DETECTORS } from "../../src/guard/detectors.ts";
import { filterText } from "../../src/guard/text-filter.ts";
import { cutText, filterPieces } from "./answers.ts";
import { makeChance, makeHostile } from "./texts.ts";

const all = createAnswerScanner(
  DETECTORS.map(({ name }) => name),
  new Map(),
  [],
);

function fill(count: number): string {
  return "aB3dE5gHjK7mNpQ2rS9tUvWx".repeat(Math.ceil(count / 24)).slice(0, count);
}

const HEADER = Buffer.from('{"alg":"RS256","typ":"JWT"}').toString("base64url");
const CHAIN = Buffer.from(`{"alg":"RS256","x5c":["${"MIIC".repeat(400)}"]}`).toString("base64url");
const KEY = `-----BEGIN RSA PRIVATE KEY-----\n${`${fill(64)}\n`.repeat(25)}-----END RSA PRIVATE KEY-----`;
const PATH = `/${"a/b.c".repeat(80)}/`;

/** Texts with a long value between what stays. */
const LONG: readonly (readonly [string, string, string, string, string])[] = [
  ["a token", "jwt", "x ", `${HEADER}.${fill(900)}.${fill(342)}`, ", and"],
  ["a token without an end", "jwt", "x ", `${HEADER}.${fill(900)}`, ""],
  ["a token with certificates", "jwt", "x ", `${CHAIN}.${fill(300)}.${fill(342)}`, " and"],
  ["a token behind a long path", "jwt", PATH, `${HEADER}.${fill(40)}.${fill(43)}`, "&a"],
  ["a private key", "private_key", "x\n", KEY, "\nand"],
  ["a private key in a JSON string", "private_key", '"', KEY.replaceAll("\n", "\\n"), '", and'],
  ["a private key without an end", "private_key", "x ", KEY.slice(0, 900), ""],
  ["a password in an address", "url_password", "a://ada:", `${fill(90)}-`.repeat(5), "@db and"],
  ["a password without its address", "url_password", "a://ada:", `${fill(90)}-`.repeat(11), " and"],
  ["a key", "openai_key", "x ", `sk-proj-${fill(900)}`, "; and"],
  [
    "a secret behind a name",
    "assigned_secret",
    `{"a":"${PATH}","password":"`,
    `${fill(120)}!${fill(79)}`,
    '","a":1}',
  ],
];

test.each(LONG)("%s is swallowed to its end, however it is cut", (_, detector, before, value, behind) => {
  const chance = makeChance(5);
  const text = before + value + behind;
  const whole = filterPieces([text], all);
  expect(whole.text).toBe(`${before}[${detector}]${behind}`);
  expect(whole.found).toHaveLength(1);
  expect(value).toStartWith(whole.found[0]?.value ?? "nothing");
  expect(filterPieces([...text], all)).toEqual(whole);
  expect(
    filterPieces(
      cutText(text, () => 1 + chance(90)),
      all,
    ),
  ).toEqual(whole);
});

test("a long value that stays leaves whole", () => {
  const filter = all.begin("", () => null);
  const text = `x ${KEY} and`;
  const stream = filterText(filter);
  expect([...text].map((piece) => stream.push(piece)).join("") + stream.end()).toBe(text);
});

test("of a long run of base64 no part is a finding", () => {
  const text = `AKIA${"A2B3C4D5E6F7GHIJ"}/${fill(2000)} and`;
  expect(filterPieces([...text], all)).toEqual({ text, found: [] });
});

test("what else is found at the end of a long value is told", () => {
  const text = `sk-proj-${fill(290)}_536-90-4399`;
  const told: string[] = [];
  const filter = createAnswerScanner(["openai_key", "us_ssn"], new Map(), []).begin("", ({ detectors }) => {
    told.push(detectors.join(" "));
    return null;
  });
  for (const piece of text) filter.push(piece);
  filter.end();
  expect(told).toEqual(["openai_key", "openai_key us_ssn"]);
});

test("hostile texts leave the same in pieces, and no more is held", () => {
  for (const [, text] of makeHostile(3000)) {
    expect(filterPieces([...text], all)).toEqual(filterPieces([text], all));
  }
});

test("what the decision throws comes out of the filter, behind what has left", () => {
  const filter = all.begin("", ({ detector }) => {
    throw new Error(`refused: ${detector}`);
  });
  expect(filter.push("write to ada@corp-x.de")).toEqual([{ length: 9, by: null }]);
  expect(() => filter.push(", or")).toThrow("refused: email");
});

test("findings that overlap are one wherever a long segment is cut", () => {
  for (let more = 0; more < 64; more++) {
    const before = `${PATH}${"-".repeat(more)}/`;
    const { text, found } = filterPieces([`${before}+49 123 456 782${PATH}`], all);
    expect(text).toBe(`${before}[phone]${PATH}`);
    expect(found.map(({ detectors }) => detectors)).toEqual([["au_tfn", "ca_sin", "phone"]]);
  }
});
