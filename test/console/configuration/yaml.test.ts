// The YAML that the console writes: read back, it is what was meant.
import { describe, expect, test } from "bun:test";
import { parse } from "yaml";
import {
  readNumber,
  readWords,
  type Tree,
  writeReference,
  writeYaml,
} from "../../../src/console/configuration/yaml.ts";

/** Texts that YAML reads as something else if they stand without quotes. */
const SCALARS: readonly Tree[] = [
  ...[
    "null",
    "True",
    "no",
    "on",
    "12",
    "1e3",
    "0x1",
    "- a",
    "a: b",
    "#",
    "a #b",
    "\u0024{A}",
    "{}",
    "[",
    "~",
    "",
  ],
  ...[
    "é\n\t",
    "'",
    '"',
    "\\",
    " a ",
    "*a",
    "&a",
    "!a",
    "%",
    "@",
    "2026-01-01",
    ".inf",
    "---",
    "<<",
    "a,b",
    "\u2028",
  ],
  ...[0, -1.5, 1e21, true, false, null],
];

describe("YAML of a change", () => {
  test("is what was meant once it is read", () => {
    for (const one of SCALARS) {
      const trees: readonly Tree[] = [
        { a: one, [String(one)]: one },
        { a: [one, one], b: { c: [{ d: one, e: [one] }, { [String(one)]: { f: one } }] } },
        { a: [], b: {}, c: [{ d: {} }], e: [[one], { f: [] }] },
      ];
      for (const tree of trees) expect(parse(writeYaml(tree), { merge: false })).toEqual(tree);
    }
  });

  test("reads as if it were written by hand", () => {
    const change = {
      mcp: { servers: { docs: { url: "https://docs.example.com", auth: undefined, tools: ["get_*"] } } },
      webhooks: [{ url: writeReference("my hook"), events: ["budget.warning"] }],
    };
    expect(writeYaml(change)).toBe(`mcp:
  servers:
    docs:
      url: "https://docs.example.com"
      tools: ["get_*"]
webhooks:
  - url: "\${MY_HOOK}"
    events: [budget.warning]`);
  });

  test("names a variable in the place of a secret, whatever was typed", () => {
    const written = ["OIDC", writeReference("OIDC"), "sk-live 1", "1st"].map(writeReference);
    expect(written).toEqual(["OIDC", "OIDC", "SK_LIVE_1", "_1ST"].map((name) => `\${${name}}`));
    expect([readNumber("1.5"), readNumber("many"), readWords(" "), readWords("a, b")]).toEqual([
      1.5,
      "many",
      undefined,
      ["a", "b"],
    ]);
  });
});
