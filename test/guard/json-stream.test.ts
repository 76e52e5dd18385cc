// JSON that comes in pieces: which strings are filtered as what, how replacements are written, and that nothing else changes.
import { describe, expect, test } from "bun:test";
import { filterJson, type JsonFilters } from "../../src/guard/json-stream.ts";
import { Placeholders } from "../../src/guard/placeholders.ts";
import { Restorer } from "../../src/guard/restorer.ts";
import type { TextFilter } from "../../src/guard/text-filter.ts";
import { mapJsonText } from "../../src/operations/text-json.ts";
import { IS_LONG } from "../harness/long.ts";
import { compare, cutAtRandom, feed } from "./swapped.ts";
import { makeChance } from "./texts.ts";

const CASES = IS_LONG ? 10_000 : 2_000;
type Chance = (most: number) => number;

/** A filter that sees its whole text before it decides. */
function makeFilter(change: (text: string) => string): TextFilter {
  let whole = "";
  return {
    push: (text) => {
      whole += text;
      return [];
    },
    end: () => {
      const now = change(whole);
      return whole === "" ? [] : [{ length: whole.length, by: now === whole ? null : now }];
    },
  };
}

/** Says of each text as what it was filtered. */
const NAMING = {
  text: (text: string, field = "") => (text === "" ? "" : `${text}:${field}`),
  key: (key: string) => (key.includes("k") ? `${key}!` : key),
  integer: (digits: string, field = "") => (digits.includes("7") ? `#${digits}${field}` : digits),
};

const naming: JsonFilters = {
  value: (field) => makeFilter((text) => NAMING.text(text, field)),
  key: () => makeFilter(NAMING.key),
  integer: (digits, field) => {
    const now = NAMING.integer(digits, field);
    return now === digits ? null : now;
  },
};

const unchanged: JsonFilters = { value: () => makeFilter(String), key: () => makeFilter(String) };

const known = new Placeholders("account");
const VALUES = [
  ["email", 'a"b\\c@corp-x.de'],
  ["words:names", "Käthe\n\t\u2028 😀"],
  ["card", "4532015112830366"],
  ["words:names", "</script>\ud83d"],
] as const;
const NAMES = VALUES.map(([detector, value]) => known.name(detector, value));
const restorer = new Restorer(known.values);
const restoring: JsonFilters = { value: () => restorer.begin(), key: () => restorer.begin() };

function filter(text: string, filters: JsonFilters, pieces: readonly string[] = [text]): string {
  return feed(filterJson(filters), pieces);
}

test("each value knows the field that holds it, through lists, and a key is filtered as one", () => {
  const text = '{ "k": "a", "b": [1, "c", ["d"], {"e": {}}, "f"], "k": {"g": "", "h": ["i"]}, "j": "" }';
  const named =
    '{ "k!": "a:k", "b": [1, "c:b", ["d:b"], {"e": {}}, "f:b"], "k!": {"g": "", "h": ["i:h"]}, "j": "" }';
  expect(filter(text, naming)).toBe(named);
  expect(filter(text, naming, text.split(""))).toBe(named);
});

test("integers of 9 to 19 digits become strings if they are replaced, and other numbers stay", () => {
  const numbers =
    "123456787, -123456787, 12345677, 123456787.0, 123456787e1, 12345678901234567897, 1234567890123456787, 123456089";
  const text = `{"n": [${numbers}], "m": 123456787}`;
  const replaced =
    '{"n": ["#123456787n", "#-123456787n", 12345677, 123456787.0, 123456787e1, 12345678901234567897, "#1234567890123456787n", 123456089], "m": "#123456787m"}';
  expect(filter(text, naming)).toBe(replaced);
  expect(filter(text, naming, text.split(""))).toBe(replaced);
  expect(filter(text, unchanged)).toBe(text);
});

test("replacements are written as JSON writes them, and all other bytes leave as they came", () => {
  const text = `{ "a\\/\\u0041" :\t"\\u00e9 \\ud83d\\ude00 <${NAMES[0]}>\\n\\/ \\u003c${NAMES[1]}\\u003E" , "<${NAMES[2]}>":1.50e+3 }`;
  const restored =
    '{ "a\\/\\u0041" :\t"\\u00e9 \\ud83d\\ude00 a\\"b\\\\c@corp-x.de\\n\\/ Käthe\\n\\t\u2028 😀" , "4532015112830366":1.50e+3 }';
  expect(filter(text, restoring)).toBe(restored);
  expect(filter(text, restoring, text.split(""))).toBe(restored);
});

describe("what is no JSON", () => {
  const value = "4532015112830366";
  const name = NAMES[2] ?? "";

  test.each([
    [`<${name}>`, value],
    [` I call {"a": "<${name}>"}`, ` I call {"a": "${value}"}`],
    [`"<${name}>"`, `"${value}"`],
    [`{"a": <${name}>, "b": [${name}, "<${name}>"]}`, `{"a": ${value}, "b": [${value}, "${value}"]}`],
    [`{'a': '<${name}>'}`, `{'a': '${value}'}`],
    [`{"a": "he said "<${name}>" and <${name}>"}`, `{"a": "he said "${value}" and ${value}"}`],
    [`{"a": "\\x\\u12<${name}>\\uD8"}`, `{"a": "\\x\\u12${value}\\uD8"}`],
    [`{"a": "EMAIL\\_1 ${name.replace("_", "\\_")}"}`, `{"a": "EMAIL\\_1 ${value}"}`],
    [`{"a": 1} and <${name}>`, `{"a": 1} and ${value}`],
    [`{"a": "<${name}>"}\n{"a": "<${name}>"}`, `{"a": "${value}"}\n{"a": "${value}"}`],
    [`]}<${name}>`, `]}${value}`],
    [`{"a": tru<${name}>}`, `{"a": tru${value}}`],
    [`{"a": 12<${name}>}`, `{"a": 12${value}}`],
    [`{"a": "<${name}>`, `{"a": "${value}`],
    [`{"a": "${name}\\`, `{"a": "${value}\\`],
    [`{"a": tru`, `{"a": tru`],
    [`{"a": 123456789`, `{"a": 123456789`],
  ])("is filtered as well as it can be: %s", (text, restored) => {
    expect(filter(text, restoring)).toBe(restored);
    expect(filter(text, restoring, text.split(""))).toBe(restored);
  });

  test("is a plain text of its own, but for literals and numbers", () => {
    expect(filter("some text", naming)).toBe("some text:");
    expect(filter('{"a": [true, nul, None x, 1.5, 12ab]}', naming)).toBe(
      '{"a": [true, nul:a, None x:a, 1.5, 12ab:a]}',
    );
  });
});

test("objects and lists of any depth are read, and what follows them", () => {
  for (const depth of [499, 500, 501, 20_000]) {
    const text = `${'{"k":['.repeat(depth)}"<${NAMES[0]}>"${"]}".repeat(depth - 1)}],"<${NAMES[2]}>":"<${NAMES[0]}>"}`;
    const escaped = JSON.stringify(VALUES[0][1]).slice(1, -1);
    const restored = text.replaceAll(`<${NAMES[0]}>`, () => escaped).replace(`<${NAMES[2]}>`, VALUES[2][1]);
    expect(filter(text, restoring)).toBe(restored);
  }
});

test("held back is only what the filters hold back, and numbers and literals up to their end", () => {
  const chance = makeChance(21);
  let heldMost = 0;
  for (let round = 0; round < CASES / 20; round++) {
    const text = writeJson(makeValue(chance, 3), chance);
    const stream = filterJson({ ...restoring, integer: () => null });
    let given = 0;
    let left = 0;
    for (const character of text) {
      given += character.length;
      left += stream.push(character).length;
      heldMost = Math.max(heldMost, given - left);
    }
  }
  expect(heldMost).toBeGreaterThan(0);
  expect(heldMost).toBeLessThanOrEqual(20);
});

const LEAVES = [
  "",
  "a",
  "k\u0000\u001f",
  "é😀",
  '"\\/',
  "\ud83d",
  "\ude00x",
  "العنوان",
  "用户",
  "true",
  "123456787",
] as const;

/** `text` makes its strings: LEAVES if missing. */
function makeValue(
  chance: Chance,
  depth: number,
  text: () => string = () => LEAVES[chance(LEAVES.length)] ?? "",
): unknown {
  const within = () => makeValue(chance, depth - 1, text);
  switch (chance(depth > 0 ? 7 : 4)) {
    case 0:
      return [1, -0.5, Math.PI * 1e22, true, false, null, 123456787, -9876543217][chance(8)];
    case 1:
    case 2:
    case 3:
      return text();
    case 4:
      return Array.from({ length: chance(4) }, within);
    default:
      return Object.fromEntries(
        Array.from({ length: chance(4) }, () => [`${text()}${chance(100)}`, within()]),
      );
  }
}

/** Writes JSON with its spaces and escapes as chance has it. */
function writeJson(value: unknown, chance: Chance): string {
  const space = () => ["", "", " ", "\n\t"][chance(4)];
  const string = (text: string) => {
    if (chance(2) === 0) return JSON.stringify(text);
    const characters = text.split("").map((character) => {
      const plain = JSON.stringify(character).slice(1, -1);
      if (character === "/" && chance(2) === 0) return "\\/";
      return chance(6) === 0 ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : plain;
    });
    return `"${characters.join("")}"`;
  };
  const write = (one: unknown): string => {
    if (typeof one === "string") return string(one);
    if (Array.isArray(one)) return `[${one.map((item) => space() + write(item) + space()).join(",")}]`;
    if (typeof one !== "object" || one === null) return JSON.stringify(one);
    const fields = Object.entries(one).map(
      ([key, held]) => `${space()}${string(key)}${space()}:${space()}${write(held)}`,
    );
    return `{${fields.join(",")}${space()}}`;
  };
  return space() + write(value) + space();
}

describe("over random JSON", () => {
  test("each string is filtered as in a whole text, and the rest stays, whatever the cuts are", () => {
    const chance = makeChance(22);
    for (let round = 0; round < CASES / 2; round++) {
      const text = writeJson([makeValue(chance, 2)], chance);
      const whole = mapJsonText(text, NAMING);
      compare(text, filter(text, naming), whole);
      compare(text, filter(text, naming, cutAtRandom(text, chance, 7)), whole);
      compare(text, filter(text, unchanged, text.split("")), text);
    }
  });

  test("a model that echoes JSON with placeholders gives the client its own values", () => {
    const chance = makeChance(23);
    const strings = new Map<string, string>();
    const make = () => {
      const [detector, value] = VALUES[chance(VALUES.length)] ?? VALUES[0];
      const [before = "", after = ""] = [LEAVES[chance(LEAVES.length)], LEAVES[chance(LEAVES.length)]];
      const swapped = `${before}<${known.name(detector, value)}>${after}`;
      strings.set(swapped, before + value + after);
      return swapped;
    };
    for (let round = 0; round < CASES; round++) {
      const swapped = { held: makeValue(chance, 1, make) };
      const text = writeJson(swapped, chance);
      const restored = filter(text, restoring, cutAtRandom(text, chance, 9));
      const wanted = JSON.stringify(swapped, (_, value) => restoreValue(value));
      compare(text, JSON.stringify(JSON.parse(restored)), wanted);
    }
  });

  test("damaged JSON leaves with all its bytes, and with the same replacements however it is cut", () => {
    const chance = makeChance(24);
    const signs = [
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "'",
      "tr",
      "1",
      "-",
      "e",
      " ",
      "\\u0",
      `<${NAMES[2]}>`,
      "\ud83d",
    ];
    for (let round = 0; round < CASES / 4; round++) {
      const sound = writeJson({ held: makeValue(chance, 1), k: "" }, chance);
      const at = chance(sound.length);
      const sign = signs[chance(signs.length)] ?? "";
      const text = sound.slice(0, at) + sign + sound.slice(at + chance(3));
      compare(text, filter(text, unchanged, cutAtRandom(text, chance, 5)), text);
      const whole = filter(text, restoring);
      compare(text, filter(text, restoring, text.split("")), whole);
      compare(text, filter(text, naming, cutAtRandom(text, chance, 5)), filter(text, naming));
      if (whole.includes(NAMES[2] ?? ""))
        compare(text, whole, text.replace(`<${NAMES[2]}>`, "4532015112830366"));
    }
  });
});

/** Puts the values back into strings and keys, as a definition that knows nothing of JSON's text. */
function restoreValue(value: unknown): unknown {
  const put = (text: string) =>
    NAMES.reduce((left, name) => left.replaceAll(`<${name}>`, () => known.values.get(name) ?? ""), text);
  if (typeof value === "string") return put(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [put(key), held]));
}
