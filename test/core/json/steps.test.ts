// Long JSON parsed in steps: the same value as in one go, wherever a text is cut, and nothing for what isn't JSON.
import { expect, test } from "bun:test";
import { parseWithTools } from "../../../src/core/json/exact.ts";
import { isWellFormed } from "../../../src/core/json/plain.ts";
import { parseInSteps } from "../../../src/core/json/steps.ts";
import { mutateBytes } from "../../fuzz/mutate.ts";
import { IS_LONG } from "../../harness/long.ts";
import { Dice } from "../../sim/dice.ts";

/** A little more than the pieces of a text. */
const LENGTH = 70_000;

function parse(bytes: Uint8Array): unknown {
  const steps = parseInSteps(bytes);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function parseAtOnce(bytes: Uint8Array): unknown {
  try {
    return parseWithTools(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const SPELLED = ["a", "é", "🙈", "\ufeff", '\\"', "\\\\", "\\n", "\\u00e9", "\\ud83d\\ude48", "\\\\u00e9"];

test.each(SPELLED)("a text of %s is cut between its characters", (spelled) => {
  for (let before = 0; before < 12; before++) {
    const text = `${"x".repeat(before)}${spelled.repeat(LENGTH / spelled.length)}`;
    const bytes = Buffer.from(`{"a":["${text}"],"${text}":"${text}"}`);
    expect(parse(bytes)).toEqual(parseAtOnce(bytes));
  }
});

const LONG = `"${"long ".repeat(20)}"`;
test.each([
  ["texts and what is around them", `{"a":${LONG},"b":[1,${LONG},null,{"c":${LONG}}],"d":"${LONG.slice(1)}}`],
  ["doubled names", `{${LONG}:1,"b":2,${LONG}:3,"b":${LONG}}`],
  ["a name of prototypes", `{"__proto__":{"a":${LONG}},${LONG}:{"__proto__":${LONG}}}`],
  [
    "long integers of tools",
    `{"arguments":{"id":1234567890123456789,"text":${LONG}},"id":1234567890123456789}`,
  ],
  ["a byte order mark", `\ufeff{"a":${LONG}}`],
  ["a text alone", LONG],
  ["numbers that JSON can't write", `[-0,1e400,${LONG}]`],
])("%s", (_name, json) => {
  const bytes = Buffer.from(json);
  expect(parse(bytes)).toStrictEqual(parseAtOnce(bytes));
  expect(parse(bytes)).toBeDefined();
});

test("a mark that a client has made leaves half a pair of surrogates, with which a request is refused", () => {
  const body = parse(Buffer.from(`["\\udfff0",${LONG}]`));
  expect(isWellFormed(body)).toBe(false);
});

test("mutated bytes are JSON in steps where they are in one go", () => {
  const body = `{"a":${LONG},"b":[{"c":"\\u00e9\\"\\\\${"\\n".repeat(60)}é🙈"},1,"short"],${LONG}:${LONG}}`;
  for (let seed = 1; seed <= (IS_LONG ? 100_000 : 3000); seed++) {
    const dice = new Dice(seed);
    const bytes = mutateBytes(dice, Buffer.from(body), dice.int(1, 3));
    expect({ seed, value: parse(bytes) }).toEqual({ seed, value: parseAtOnce(bytes) });
  }
});
