// Changes of settings files to the byte: where a field is found, and how a person would have written it there.
import { expect, test } from "bun:test";
import type { SettingChange } from "../../../../src/cli/setup/formats/format.ts";
import { FORMATS } from "../../../../src/cli/setup/formats/formats.ts";
import { changeSettings } from "../../../../src/cli/setup/formats/guard.ts";

type Name = keyof typeof FORMATS;
type Row = readonly [name: Name, text: string, change: SettingChange, made: string];

const SET: SettingChange = { kind: "set", path: ["env", "ours"], value: "new" };
const set = (path: string, value: unknown): SettingChange => ({ kind: "set", path: path.split("."), value });
const remove = (path: string): SettingChange => ({ kind: "remove", path: path.split(".") });
const FIRST: SettingChange = { kind: "first", path: ["list"], value: { id: "ours" }, same: ["id"] };
const DROP: SettingChange = { kind: "drop", path: ["list"], value: { id: "ours" } };

/** Other things that look like the field, beside it. */
const LOOKALIKES: readonly Row[] = [
  [
    "toml",
    'a = """\n[env]\nours = 1"""\n# [env]\n',
    SET,
    'a = """\n[env]\nours = 1"""\n# [env]\n\n[env]\nours = "new"\n',
  ],
  ["toml", "env = { a = 1 } # {\n", SET, 'env = { a = 1, ours = "new" } # {\n'],
  ["toml", '[x]\n"env" = 1\n[ "env" ] # ]\n', SET, '[x]\n"env" = 1\n[ "env" ] # ]\nours = "new"\n'],
  ["yaml", "a: |\n  env:\n    ours: 1\n", SET, 'a: |\n  env:\n    ours: 1\nenv:\n  ours: "new"\n'],
  ["yaml", "env: # ours: 1\n...\n", SET, 'env: # ours: 1\n  ours: "new"\n...\n'],
  ["yaml", 'env: { "a": 1 } # }\n', SET, 'env: { "a": 1, "ours": "new" } # }\n'],
  [
    "json",
    '{"a": "\\"env\\": {" /* "env": {} */}',
    SET,
    '{"a": "\\"env\\": {", "env": {"ours": "new"} /* "env": {} */}',
  ],
  ["dotenv", "A='\nB=1'\n#B=2\n", { kind: "set", path: ["B"], value: "3" }, "A='\nB=1'\n#B=2\nB=3\n"],
  ["dotenv", "B= # c\n", { kind: "set", path: ["B"], value: "3" }, "B=3 # c\n"],
  ["dotenv", "B=a#c\n", { kind: "set", path: ["B"], value: "3" }, "B=3 #c\n"],
];

test("a field is found where it is one, and nowhere else", () => {
  const given = LOOKALIKES.map(([name, text, change]) => changeSettings(FORMATS[name], text, [change]));
  expect(given).toEqual(LOOKALIKES.map(([, , , made]) => made));
});

const SPELLINGS: readonly Row[] = [
  ["json", '{\n  "b": 2, // x\n  "a": 1\n}', remove("a"), '{\n  "b": 2 // x\n}'],
  ["json", '{\n  "a": 1,\n  "b": 2\n}', remove("b"), '{\n  "a": 1\n}'],
  ["json", '{\n  "a": 1 \n}', set("b", 2), '{\n  "a": 1, \n  "b": 2\n}'],
  ["json", '{\n  "a": 1 // c\n  // d\n}', set("b", 2), '{\n  "a": 1, // c\n  "b": 2\n  // d\n}'],
  ["json", '{"a": 1 /* c */, "b": 2}', remove("a"), '{ /* c */ "b": 2}'],
  ["json", '{"a":1}', set("b", { x: [1, 2], y: {} }), '{"a":1,"b":{"x":[1,2],"y":{}}}'],
  ["json", '{"a": {}, "b": [ ]}', set("a.x", { y: 1 }), '{"a": {"x": {"y": 1}}, "b": [ ]}'],
  ["json", '{ "list": [ { "id": "ours" } ] }', DROP, '{ "list": [  ] }'],
  [
    "json",
    '{\n    "list": []\n}',
    FIRST,
    '{\n    "list": [\n        {\n            "id": "ours"\n        }\n    ]\n}',
  ],
  ["toml", "a.b = 1\n[z]\n", set("a.c", 2), "a.b = 1\na.c = 2\n[z]\n"],
  ["toml", "a = { b.c = 1 }\n", set("a.b.d", 2), "a = { b.c = 1, b.d = 2 }\n"],
  ["toml", 'a = """x"""""\nb = 1\n', set("b", 2), 'a = """x"""""\nb = 2\n'],
  ["toml", "a = 1979-05-27 07:32:00 # c\nb = 1\n", set("b", 2), "a = 1979-05-27 07:32:00 # c\nb = 2\n"],
  ["toml", "[a]\nx = 1\n\n[b]\ny = 1\n\n[c]\n", remove("b"), "[a]\nx = 1\n\n[c]\n"],
  ["toml", "[a.b.c]\nx = 1\n", set("a.y", 1), "[a.b.c]\nx = 1\n\n[a]\ny = 1\n"],
  ["toml", "x = 1", set("y", 2), "x = 1\ny = 2"],
  ["yaml", "list:\n    - id: a\n", FIRST, 'list:\n    - id: "ours"\n    - id: a\n'],
  ["yaml", "list:\n- id: a\n", FIRST, 'list:\n- id: "ours"\n- id: a\n'],
  ["yaml", "list: [a]\n", FIRST, 'list: [{"id": "ours"}, a]\n'],
  ["yaml", "list: # c\n  # d\n  - id: ours\n  # e\nz: 1\n", DROP, "list: [] # c\n  # d\n  # e\nz: 1\n"],
  ["yaml", "a:\n  b: 1 # c\nz: 1", set("a", "x"), 'a: "x"\n# c\nz: 1'],
  ["yaml", "a: 1 # c\nz: 1\n", set("a", { b: [] }), "a: # c\n  b: []\nz: 1\n"],
  ["dotenv", 'A="x\\"=" # c\nB=1\n', set("B", "2"), 'A="x\\"=" # c\nB=2\n'],
  ["dotenv", "A=1\nB=2\n", remove("A"), "B=2\n"],
  ["dotenv", "A=1", set("B", "$2"), "A=1\nB='$2'"],
];

test("a change is written as what stands around it", () => {
  const given = SPELLINGS.map(([name, text, change]) => changeSettings(FORMATS[name], text, [change]));
  expect(given).toEqual(SPELLINGS.map(([, , , made]) => made));
});
