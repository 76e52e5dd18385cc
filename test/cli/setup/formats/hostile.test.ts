// Settings files that are odd, broken or made to harm: read as they are meant, or refused in plain words.
import { describe, expect, test } from "bun:test";
import { type SettingChange, SettingsError } from "../../../../src/cli/setup/formats/format.ts";
import { FORMATS, STRICT_JSON } from "../../../../src/cli/setup/formats/formats.ts";
import { changeSettings } from "../../../../src/cli/setup/formats/guard.ts";
import { applyChange, readField } from "../../../../src/cli/setup/formats/values.ts";

type Name = keyof typeof FORMATS;

const TRIED = { ...FORMATS, "strict json": STRICT_JSON };
const IGNORED =
  "this agent ignores a settings file with comments or trailing commas. Take out this comment, then run poundkey setup again";

const SET: SettingChange = { kind: "set", path: ["env", "ours"], value: "new" };
const MEGABYTE = 1_048_576;

function readWords(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return "not refused";
}

/** By format: text, and what is said of it. */
const REFUSED: Readonly<Record<keyof typeof TRIED, readonly (readonly [text: string, words: string])[]>> = {
  json: [
    ["[1]", "line 1: the file must hold an object"],
    ['"text"', "line 1: the file must hold an object"],
    ['{\n"a": 1,\n"a": 2}', "line 3: this field appears twice"],
    ['{"b": {"__proto__": 1, "__proto__": 2}}', "line 1: this field appears twice"],
    ['{"a": 1} {"b": 2}', "line 1: something follows the last bracket"],
    ["{'a': 1}", "line 1: a field's name in quotes is missing"],
    ["{a: 1}", "line 1: a field's name in quotes is missing"],
    ['{"a" 1}', "line 1: a colon is missing"],
    ['{"a": 1\n"b": 2}', "line 2: a comma or a closing bracket is missing"],
    ['{"a": 1,, "b": 2}', "line 1: a field's name in quotes is missing"],
    ['{"a": 01}', "line 1: a comma or a closing bracket is missing"],
    ['{"a": NaN}', "line 1: a value is missing, or isn't one that JSON knows"],
    ['{"a": nullx}', "line 1: a value is missing, or isn't one that JSON knows"],
    ['{"a": "x\ny"}', "line 1: this text in quotes has no end, or a character that must be escaped"],
    ['{"a": "\\x41"}', "line 1: this text in quotes has no end, or a character that must be escaped"],
    ['{"a": "b', "line 1: this text in quotes has no end, or a character that must be escaped"],
    ['{"a": "b\\', "line 1: this text in quotes has no end, or a character that must be escaped"],
    ['{"a": 1 /* }', "line 1: this comment has no end, or isn't one"],
    ['{"a": 1 # no\n}', "line 1: a comma or a closing bracket is missing"],
    [
      '{} // a\u2028, "b"',
      "line 1: this comment holds a character that only some programs take for a line's end",
    ],
    ['{"a": 1', "line 1: a comma or a closing bracket is missing"],
    [`{"a": ${"[".repeat(MEGABYTE / 2)}`, "line 1: nested more than 100 levels deep"],
    [`{"a": ${'{"a":'.repeat(MEGABYTE / 8)}`, "line 1: nested more than 100 levels deep"],
  ],
  "strict json": [
    ["// a\n{}", `line 1: ${IGNORED}`],
    ["// a", `line 1: ${IGNORED}`],
    ['{\n"a": 1 /* b */\n}\n', `line 2: ${IGNORED}`],
    ['{"a": "// b"}\n// c', `line 2: ${IGNORED}`],
    ['{\n"a": [1\n,], "b": {} // c\n}', `line 3: ${IGNORED.replace("this comment", "the last comma")}`],
    ['{\n"a": {"b": 1,},\n}', `line 2: ${IGNORED.replace("this comment", "the last comma")}`],
    ['{"a": 1,, "b": 2} // c', "line 1: a field's name in quotes is missing"],
    ['{"a": 1, "a": 2,}', "line 1: this field appears twice"],
  ],
  toml: [
    ["a = 1\n\na = 2", "line 3: this isn't valid TOML, or a name appears twice"],
    ["[a]\nx = 1\n[a]\n", "line 3: this isn't valid TOML, or a name appears twice"],
    ["a = 1\nb = 01\nc = 2", "line 2: this isn't valid TOML, or a name appears twice"],
    ["a = 1 b = 2", "line 1: something follows on this line, or a quote is missing"],
    ['a = "x\ny"', "line 1: this text in quotes has no end"],
    ['a = """x', "line 1: this text in quotes has no end"],
    ["[a\nb = 1", "line 1: ] is missing"],
    ["[[a]\nb = 1", "line 1: ]] is missing"],
    ["a = [1\nb = 2", "line 2: a comma or a closing bracket is missing"],
    ["a b = 1", "line 1: = is missing"],
    ["just words", "line 1: = is missing"],
    ['{"a": 1}', "line 1: a name or a value is missing"],
    [`a = ${"[".repeat(MEGABYTE / 2)}`, "line 1: nested more than 100 levels deep"],
    [`a${".a".repeat(MEGABYTE / 4)} = 1`, "line 1: nested more than 100 levels deep"],
    [
      Array.from({ length: 50_000 }, (_, at) => `k${at} = 1\n`).join(""),
      "line 5001: the file has too many fields",
    ],
  ],
  yaml: [
    ["- a\n- b\n", "the file must hold fields"],
    ["just words", "the file must hold fields"],
    ["a: 1\na: 2\n", "line 2: this field appears twice"],
    ["a: 1\n---\nb: 2\n", "line 2: the file must have only one YAML document; remove what follows ---"],
    ["a: *b\n", "line 1: this alias (*name) has no anchor (&name)"],
    ["a: !!js/function x\n", "line 1: tags (!name) are not supported"],
    [`a: ${"[".repeat(MEGABYTE / 2)}`, "line 1: nested more than 64 levels deep"],
  ],
  dotenv: [
    ["A=1\njust words\n", "line 2: this is no KEY=value"],
    ['{"a": 1}', "line 1: this is no KEY=value"],
    ['A="b', "line 1: this quote has no end"],
    ["A='b' c", "line 1: something follows the value's last quote"],
    [`A=${"'".repeat(MEGABYTE / 2)}`, "line 1: something follows the value's last quote"],
  ],
};

describe.each(Object.entries(TRIED))("%s", (name, format) => {
  test("broken texts are refused, with the line, and never quoted", () => {
    const rows = Object.entries(REFUSED).find(([one]) => one === name)?.[1] ?? [];
    const given = rows.map(([text]) => readWords(() => changeSettings(format, text, [SET])));
    expect(given).toEqual(rows.map(([, words]) => words));
  });

  test("what is no text in UTF-8, has odd line ends, or is too long, is refused", () => {
    const words = (text: string) => readWords(() => format.parse(text));
    expect(words("A=\u0000")).toBe("the file isn't text in UTF-8");
    expect(words('\uFFFE{\0"\0')).toBe("the file isn't text in UTF-8");
    expect(words("A=\ud800")).toBe("the file isn't text in UTF-8");
    expect(words("A=1\rB=2")).toBe("a line ends in a carriage return alone");
    expect(words("é".repeat(MEGABYTE / 2 + 1))).toBe("the file is larger than 1 MB");
  });

  test("an empty file is filled, and a field without a path refused", () => {
    const change: SettingChange = { kind: "set", path: ["A"], value: "b" };
    for (const text of ["", "\uFEFF", "\n", "\r\n"]) {
      const made = changeSettings(format, text, [change]);
      expect(made.startsWith(text)).toBe(true);
      expect(format.parse(made)).toEqual({ A: "b" });
    }
    expect(format.parse("")).toEqual({});
    expect(readWords(() => format.change("", { ...change, path: [] }))).toBe("a field's path is missing");
  });
});

/** Changes that one format can't make of a good file. */
const IN_THE_WAY: readonly (readonly [name: Name, text: string, change: SettingChange, words: string])[] = [
  ["json", '{"env": "text"}', SET, "env holds a value, not fields"],
  ["json", '{"env": []}', SET, "env holds a value, not fields"],
  ["toml", "env = 1", SET, "env holds a value, not fields"],
  ["toml", "[[env]]\na = 1", SET, "env holds a value, not fields"],
  ["toml", "", { kind: "set", path: ["a"], value: null }, "TOML has no null"],
  [
    "toml",
    "[[list]]\nid = 1",
    { kind: "first", path: ["list"], value: { id: 2 }, same: ["id"] },
    "list is a list of tables, [[…]]",
  ],
  ["yaml", "base: &b {}\nenv: *b\n", SET, "line 2: this value is an alias, or has an anchor or a tag"],
  ["yaml", "env: &b\n  x: 1\nother: *b\n", SET, "line 2: this value is an alias, or has an anchor or a tag"],
  ["yaml", "? env\n: x: 1\n", SET, "line 2: this field doesn't stand at the start of its line"],
  ["dotenv", "A=1", SET, "a variable's name has letters, digits and _ only"],
  ["dotenv", "A=1\nexport A=2", { kind: "set", path: ["A"], value: "3" }, "line 2: A appears twice"],
  [
    "dotenv",
    "",
    { kind: "set", path: ["A"], value: "a'b\"c" },
    "the value of A can't be written so that all programs read it alike",
  ],
  ["dotenv", "", { kind: "first", path: ["A"], value: {}, same: [] }, "A must be text"],
];

test("what stands in a change's way is named", () => {
  const given = IN_THE_WAY.map(([name, text, change]) =>
    readWords(() => changeSettings(FORMATS[name], text, [change])),
  );
  expect(given).toEqual(IN_THE_WAY.map(([, , , words]) => words));
});

test("a field named __proto__ is a field, and inherited names are none", () => {
  for (const name of ["json", "toml", "yaml"] as const) {
    const change: SettingChange = { kind: "set", path: ["__proto__", "polluted"], value: true };
    const made = changeSettings(FORMATS[name], "", [change]);
    const value = FORMATS[name].parse(made);
    expect(readField(value, ["__proto__", "polluted"])).toBe(true);
    expect(readField({}, ["polluted"])).toBeUndefined();
    expect(readField(value, ["constructor"])).toBeUndefined();
    expect(changeSettings(FORMATS[name], made, [{ kind: "remove", path: ["toString"] }])).toBe(made);
    expect(applyChange(value, { kind: "remove", path: ["__proto__"] })).toEqual({});
  }
});

test("a format that changes anything else is caught", () => {
  const wrong = { ...FORMATS.json, change: () => '{"env": {"ours": "new"}, "other": 2}' };
  expect(readWords(() => changeSettings(wrong, '{"other": 1}', [SET]))).toBe(
    "this file can't be changed without changing something else in it",
  );
  const broken = { ...FORMATS.json, change: () => "{" };
  expect(readWords(() => changeSettings(broken, '{"other": 1}', [SET]))).toBe(
    "this file can't be changed without changing something else in it",
  );
});

test("numbers that JavaScript can't hold stay as they are", () => {
  const text = '{\n  "id": 12345678901234567890,\n  "small": 1.0\n}';
  expect(changeSettings(FORMATS.json, text, [SET])).toStartWith(text.slice(0, -2));
});

test("what a field's change leaves empty stays, and goes with the next one", () => {
  for (const [name, text] of [
    ["json", '{"env": {"ours": "new"}}'],
    ["toml", 'env.ours = "new"\n'],
    ["toml", '[env]\nours = "new"\n'],
    ["toml", 'env = { ours = "new" }\n'],
    ["yaml", "env:\n  # here\n  ours: new\n"],
  ] as const) {
    const emptied = changeSettings(FORMATS[name], text, [{ kind: "remove", path: ["env", "ours"] }]);
    expect(FORMATS[name].parse(emptied)).toEqual({ env: {} });
    const gone = changeSettings(FORMATS[name], emptied, [{ kind: "remove", path: ["env"] }]);
    expect(FORMATS[name].parse(gone)).toEqual({});
  }
});

test("characters that a format reads in its own way are escaped", () => {
  const odd = 'q" \\ \u007f\u0085\u2028\ufeff\t\n\u0001 é 😀 #{[';
  for (const name of ["json", "toml", "yaml"] as const) {
    const made = changeSettings(FORMATS[name], "", [{ kind: "set", path: [odd, odd], value: [odd] }]);
    expect(FORMATS[name].parse(made)).toEqual({ [odd]: { [odd]: [odd] } });
    for (const raw of ["\u007f", "\u0085", "\u2028", "\ufeff", "\u0001"]) expect(made).not.toContain(raw);
  }
});
