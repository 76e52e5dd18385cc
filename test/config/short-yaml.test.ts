// Long configurations read the fast way: the values are those of the YAML parser, and what is wrong is told as ever.
import { describe, expect, test } from "bun:test";
import { loadSettings } from "../../src/config/load.ts";
import { shortYaml } from "../../src/config/short-yaml.ts";
import { YamlText } from "../../src/config/yaml.ts";
import { diceOf } from "../router/dice.ts";

const SCALARS = [
  ..."1 0 0.25 16000000 1.50 007 1e3 0x1F -1 +1 .5 1. 4o 7b 1_000".split(" "),
  ..."a model-1 llama3:8b org/name.v2 a:b: true True null ~ no y .inf NaN p95 2% $x a#b #a &a *a !a 'a' |".split(
    " ",
  ),
  ...[
    '"a b"',
    '"a\\nb"',
    '"#"',
    `"$\{X}"`,
    '""',
    "a b",
    "",
    "{}",
    "[]",
    "[a, b]",
    "[ 1 ]",
    "[a b]",
    "{ x: 1 }",
  ],
  ...[
    "{x: 1}",
    "{ x: 1, x: 2 }",
    "{ X: 1 }",
    "{ x: { y: [a, { z: 1 }] } }",
    "{ x: 1, }",
    "{ __proto__: 1 }",
    '"a", b',
  ],
];
const FRAMES = [
  (line: string) => `  - ${line}`,
  (line: string) => `  - ${line}`,
  (line: string) => `  - ${line} # told`,
  (line: string) => `  - ${line}\n    more`,
  (line: string) => `  - |\n    - ${line}\n    - ${line}`,
  (line: string) => `  - "\n    - ${line}\n    "`,
  (line: string) => `  -\n    - ${line}\n    - ${line}`,
  (line: string) => `  - key: ${line}\n    "other#key": ${line}`,
  (line: string) => `  -\n    key: ${line}\n    key: ${line}`,
  (line: string) => `  - key: >\n      ${line}`,
  (line: string) => `  - [\n    ${line},\n    a ]`,
  (line: string) => `  - - ${line}`,
  (line: string) => `\n  - ${line}`,
];
/** Enough plain lines to make it worthwhile. */
const PLAIN = Array.from(
  { length: 50 },
  (_, at) => `  - { name: m-${at}, price: { input: 0.25, output: 2 } }`,
);

const SHORT = Array.from({ length: 25 }, () => "  - { a: 1 }");

/** undefined: it is none, or means nothing. */
function parsed(yaml: YamlText): unknown {
  try {
    return yaml.problems().length > 0 ? undefined : yaml.value();
  } catch {
    return undefined;
  }
}

/** undefined: it has to be read whole. */
function quickly(text: string): unknown {
  const short = shortYaml(text);
  const value = short && parsed(new YamlText(short.text));
  return short?.fill(value) ? value : undefined;
}

describe("a long configuration", () => {
  test("has the values that the YAML parser gives", () => {
    const roll = diceOf(3);
    const any = <One>(values: readonly One[]) => values[Math.floor(roll() * values.length)];
    let quick = 0;
    for (let round = 0; round < 200; round++) {
      const line = () =>
        `{ name: ${any(SCALARS)}, b:${roll() < 0.9 ? " " : ""}${any(SCALARS)}${roll() < 0.9 ? " " : ""}}`;
      const some = Array.from({ length: 1 + roll() * 2 }, () => any(FRAMES)?.(line()));
      const text = ["models:", ...SHORT, ...some, ...SHORT, "end: 1", ""].join("\n");
      const found = quickly(text);
      if (found === undefined) continue;
      quick++;
      expect(found).toEqual(parsed(new YamlText(text)) ?? "no YAML");
    }
    expect(quick).toBeGreaterThan(60);
  });

  test("with a mark of its own is read whole, and so is a short one", () => {
    expect(quickly(["models:", ...PLAIN, ""].join("\n"))).toEqual(
      parsed(new YamlText(["models:", ...PLAIN].join("\n"))),
    );
    expect(shortYaml(["models:", ...PLAIN, "end: \ue0000"].join("\n"))).toBeNull();
    expect(shortYaml(["models:", ...PLAIN.slice(1)].join("\n"))).toBeNull();
  });

  test("with a field that is there twice is read whole", () => {
    const twice = ["  -", "    key: { a: 1 }", "    key: { a: 2 }"];
    expect(quickly(["models:", ...SHORT, ...SHORT, ...twice].join("\n"))).toBeUndefined();
  });

  const load = (...lines: readonly string[]) =>
    loadSettings({
      text: [
        "providers:",
        "  House:",
        '    base_url: "http://x.test"',
        "    keys: [k]",
        "    models:",
        ...lines,
      ].join("\n"),
      ...{ file: "poundkey.yaml", known: [], overrides: {}, env: () => undefined, readFile: () => "" },
    });
  const models = PLAIN.map((line) => `    ${line}`);

  test("gives every model its card", () => {
    const loaded = load(...models, "      - { name: last, context: 9 }");
    const own = loaded.ok ? loaded.settings.ownModels : [];
    expect(own.map(({ id }) => id)).toEqual([...models.map((_, at) => `House#m-${at}`), "House#last"]);
    expect(own.at(-1)).toMatchObject({ contextTokensMax: 9, price: null });
  });

  test.each([
    ["      - { name: m-3 }", "name: this model is there twice", 17],
    ["      - { name: new, contxt: 9 }", "contxt: unknown field; did you mean context?", 22],
    ["      - { name: new, name: newer }", "name: this field is there twice", 22],
  ])("names %p's line and column", (line, problem, column) => {
    const loaded = load(...models, line, ...models.map((one) => one.replace("m-", "n-")));
    const errors = loaded.ok ? [] : loaded.errors;
    expect(errors.map((error) => error.line)).toEqual([56]);
    const [error] = errors;
    expect(`${error?.field}: ${error?.message}`).toEndWith(problem);
    expect(error?.column).toBe(column);
  });
});
