// Values that are put back: how placeholders may be written, what is held back, and whatever the cuts are.
import { describe, expect, test } from "bun:test";
import { Placeholders } from "../../src/guard/placeholders.ts";
import { Restorer } from "../../src/guard/restorer.ts";
import { createScanner } from "../../src/guard/scanner.ts";
import { filterText } from "../../src/guard/text-filter.ts";
import { IS_LONG } from "../harness/long.ts";
import { compare, cutAt, cutAtRandom, feed, swapText } from "./swapped.ts";
import { makeChance } from "./texts.ts";

const CASES = IS_LONG ? 10_000 : 2_000;
const HELD_MAX = 40;
const WORDS = new Map([["idcard", ["Kestrel GmbH", "青鸟"]]]);
const scanner = createScanner(["email", "card", "iban", "words:idcard"], WORDS, []);
/** Their marks end with, or begin like, one another. */
const VALUES = [
  ["email", "ada@corp-x.de"],
  ["email", "o'neil+a_b@corp-x.de"],
  ["card", "4532 0151 1283 0366"],
  ["card", "5425233430109903"],
  ["iban", "DE89 3704 0044 0532 0130 00"],
  ["words:idcard", "kestrel  GMBH"],
  ["words:idcard", "青鸟"],
] as const;
const known = new Placeholders("account");
const NAMES = VALUES.map(([detector, value]) => known.name(detector, value));
const [EMAIL = "", , CARD = ""] = NAMES;
const IDCARD = NAMES[5] ?? "";
const restorer = new Restorer(known.values);
const others = new Placeholders("another account");
const OTHER_NAMES = VALUES.map(([detector, value]) => others.name(detector, value));

function restore(text: string, pieces: readonly string[] = [text]): string {
  return feed(filterText(restorer.begin()), pieces);
}

/** The ways to write a placeholder that are understood. */
const WRITINGS: readonly ((name: string) => string)[] = [
  (name) => `<${name}>`,
  (name) => name,
  (name) => `&lt;${name}&gt;`,
  (name) => `\\u003c${name}\\u003E`,
  (name) => `%3C${name}%3e`,
  (name) => `<${name.toLowerCase()}>`,
  (name) => `<${name.replace("_", "\\_")}>`,
  (name) => `&LT;${name.toLowerCase().replace("_", "\\_")}&Gt;`,
];

describe("a placeholder", () => {
  test.each(WRITINGS.map((write) => [write(EMAIL), write]))("is understood as %s", (_, write) => {
    for (const [at, name] of NAMES.entries()) {
      const value = VALUES[at]?.[1] ?? "";
      expect(restore(`a ${write(name)}, ${write(name)}`)).toBe(`a ${value}, ${value}`);
    }
  });

  test.each([
    [`<${EMAIL}`, "<ada@corp-x.de"],
    [`${EMAIL}>`, "ada@corp-x.de>"],
    [`<${EMAIL}&gt;`, "<ada@corp-x.de&gt;"],
    [`&lt;${EMAIL}>`, "&lt;ada@corp-x.de>"],
    [`<${EMAIL} >`, "<ada@corp-x.de >"],
    [`<<${EMAIL}>>`, "<ada@corp-x.de>"],
    [`(${EMAIL}[${EMAIL}]`, "(ada@corp-x.de[ada@corp-x.de]"],
    [`&lt;<${EMAIL}>&gt;`, "&lt;ada@corp-x.de&gt;"],
  ])("takes one pair of matching brackets with it: %s", (text, restored) => {
    expect(restore(text)).toBe(restored);
    expect(restore(text, [...text])).toBe(restored);
  });

  test.each([
    [`my_${EMAIL}s`, "my_ada@corp-x.des"],
    [`${EMAIL}${EMAIL}`, "ada@corp-x.deada@corp-x.de"],
    [`EMAIL_EMAIL_${EMAIL}`, "EMAIL_EMAIL_ada@corp-x.de"],
    [`用户${EMAIL}。`, "用户ada@corp-x.de。"],
    [`ID${CARD}`, "ID4532 0151 1283 0366"],
    [IDCARD, "kestrel  GMBH"],
    [`xIDCARDCARD${IDCARD.slice(2)}`, `xIDCARDCARD${IDCARD.slice(2)}`],
  ])("is found wherever it stands: %s", (text, restored) => {
    expect(restore(text)).toBe(restored);
    expect(restore(text, [...text])).toBe(restored);
  });

  test.each([
    `<EMAIL_3K9P0QR>`,
    `<EMAIL_3K9P0QRT>`,
    `<EMAIL${EMAIL.slice(6)}>`,
    `<EMAIL__${EMAIL.slice(6)}>`,
    `<EMAIL\\\\_${EMAIL.slice(6)}>`,
    `<PHONE_${EMAIL.slice(6)}>`,
    `<CARD_${EMAIL.slice(6)}>`,
    `<ema\u0131l_${EMAIL.slice(6)}>`,
    ...OTHER_NAMES.map((name) => `<${name}>`),
  ])("of another request or form stays: %s", (text) => {
    expect(restore(text)).toBe(text);
    expect(restore(text, [...text])).toBe(text);
  });
});

test("a value that was put back is no placeholder, whatever it says", () => {
  const values = new Map([
    ["EMAIL_00000000", "<EMAIL_00000001>"],
    ["EMAIL_00000001", "EMAIL_"],
  ]);
  const stream = filterText(new Restorer(values).begin());
  const text = "<EMAIL_00000000> EMAIL_0000000100000000";
  expect(feed(stream, [...text])).toBe("<EMAIL_00000001> EMAIL_00000000");
});

describe("held back is", () => {
  test("nothing where there is no placeholder", () => {
    const stream = filterText(new Restorer(new Map()).begin());
    for (const piece of [...`<${EMAIL}`, "", "<"]) expect(stream.push(piece)).toBe(piece);
    expect(stream.end()).toBe("");
  });

  test("only what can still become a placeholder, and at most forty characters", () => {
    const chance = makeChance(5);
    const isBegun = makeBegun();
    const wrong: string[] = [];
    for (let round = 0; round < CASES / 10; round++) {
      const filter = restorer.begin();
      let held = "";
      for (const character of makeText(chance, 6)) {
        held += character;
        for (const { length } of filter.push(character)) held = held.slice(length);
        if (held.length > HELD_MAX || !isBegun(held)) wrong.push(held);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** Returns what tells if a text is the beginning of a placeholder by its form. */
function makeBegun(): (text: string) => boolean {
  const brackets = ["", "<", "&lt;", "\\u003c", "%3c"];
  const marks = ["email", "card", "iban", "idcard"];
  const heads = brackets.flatMap((open) => marks.flatMap((mark) => [`${open}${mark}_`, `${open}${mark}\\_`]));
  const code = /^[0-9a-hjkmnp-tv-z]{0,8}$/;
  const bracket = /^[0-9a-hjkmnp-tv-z]{8}(?:&(?:g(?:t)?)?|\\(?:u(?:0(?:0(?:3)?)?)?)?|%(?:3)?)?$/;
  return (text) => {
    const small = text.toLowerCase();
    return heads.some((head) => {
      if (head.startsWith(small)) return true;
      const rest = small.slice(head.length);
      return small.startsWith(head) && (code.test(rest) || bracket.test(rest));
    });
  };
}

const PARTS = [
  "<", ">", "&lt;", "&gt;", "\\u003c", "\\u003e", "%3C", "%3E", "&", "&l", "\\", "\\u00", "%", "%3",
  "_", "\\_", "EMAIL", "EMAIL_", "email\\_", "CARD_", "IDCARD_", "ID", "3K9P0QRT", "3K9", " ", "a", "e",
  "😀", "\ud83d", "\ude00", "\0", "سلام", "用户", "ſ", "\u0131", "\n",
]; // biome-ignore format: a list of parts

function makeText(chance: (most: number) => number, parts: number): string {
  return Array.from({ length: 1 + chance(parts) }, () => {
    const name = NAMES[chance(NAMES.length)] ?? "";
    const write = WRITINGS[chance(WRITINGS.length)] ?? String;
    switch (chance(5)) {
      case 0:
        return write(name);
      case 1:
        return write(name).slice(0, 1 + chance(20));
      case 2:
        return write(OTHER_NAMES[chance(OTHER_NAMES.length)] ?? "");
      default:
        return PARTS[chance(PARTS.length)];
    }
  }).join("");
}

describe("over random texts", () => {
  test("all placeholders are put back that a pattern of each finds, whatever the cuts are", () => {
    const chance = makeChance(1);
    const name = `(?:${NAMES.map((one) => one.replace("_", "\\\\?_")).join("|")})`;
    const pattern = new RegExp(
      [`<${name}>`, `&lt;${name}&gt;`, `\\\\u003c${name}\\\\u003e`, `%3c${name}%3e`, name].join("|"),
      "gi",
    );
    const inner = new RegExp(name, "i");
    for (let round = 0; round < CASES; round++) {
      const text = makeText(chance, 12);
      const wanted = text.replaceAll(pattern, (written) => {
        const [found = ""] = inner.exec(written) ?? [];
        return known.values.get(found.replace("\\", "").toUpperCase()) ?? "";
      });
      compare(text, restore(text), wanted);
      compare(text, restore(text, text.split("")), wanted);
      compare(text, restore(text, cutAtRandom(text, chance, 9)), wanted);
    }
  });

  test("every cut gives the same", () => {
    const chance = makeChance(2);
    for (let round = 0; round < CASES / 100; round++) {
      const text = makeText(chance, 8);
      const wanted = restore(text);
      for (let at = 0; at <= text.length; at++) compare(text, restore(text, cutAt(text, [at])), wanted);
    }
  });
});

const PLAIN = [
  "the invoice of ", "العنوان: ", "用户的邮箱是", "，", "😀", "\ud83d", "\udc00 ", "\0", " & ", "<b>", "</b>", "\\_",
  "*_", "**", "`", "EMAIL_", "<EMAIL_3K9P0QRT> ", "&lt;", "&gt;", "<", ">", "\\u003c", "%3C", " ", "\n\n",
  ...OTHER_NAMES.map((name) => ` <${name}> `),
]; // biome-ignore format: a list of parts

function makePrompt(chance: (most: number) => number): string {
  return Array.from({ length: 1 + chance(8) }, () =>
    chance(3) === 0 ? VALUES[chance(VALUES.length)]?.[1] : PLAIN[chance(PLAIN.length)],
  ).join("");
}

describe("a model that echoes what was swapped", () => {
  test("gives the client its own text, however it writes placeholders and its answer is cut", () => {
    const chance = makeChance(3);
    let swappedTexts = 0;
    for (let round = 0; round < CASES; round++) {
      const text = makePrompt(chance);
      const request = new Placeholders("account");
      const swapped = swapText(scanner, request, text);
      if (swapped !== text) swappedTexts++;
      const own = new Restorer(request.values);
      for (const pieces of [[swapped], swapped.split(""), cutAtRandom(swapped, chance, 12)])
        compare(text, feed(filterText(own.begin()), pieces), text);
    }
    expect(swappedTexts).toBeGreaterThan(CASES / 3);
  });

  test("is given nothing new if its answer comes back", () => {
    const chance = makeChance(4);
    const free = [" of ", "，", " 😀 ", "\n", "; the ", "\0"];
    for (let round = 0; round < CASES; round++) {
      const answer = Array.from({ length: 1 + chance(6) }, () => {
        const name = NAMES[chance(NAMES.length)] ?? "";
        return (free[chance(free.length)] ?? "") + (chance(2) === 0 ? `<${name}>` : "");
      }).join("");
      const request = new Placeholders("account");
      compare(answer, swapText(scanner, request, `${restore(answer)} `), `${answer} `);
    }
  });

  test("can't name a value of another account, nor can a request that has its codes", () => {
    const chance = makeChance(6);
    for (let round = 0; round < CASES; round++) {
      const write = WRITINGS[chance(WRITINGS.length)] ?? String;
      const text = `a ${write(OTHER_NAMES[chance(OTHER_NAMES.length)] ?? "")} b`;
      compare(text, restore(text), text);
    }
  });
});
