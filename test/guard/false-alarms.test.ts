// Sources hold no secrets and hardly any numbers of people: each finding in them is a false alarm.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DETECTORS } from "../../src/guard/detectors.ts";
import { createScanner } from "../../src/guard/scanner.ts";
import { IS_LONG, sampleRows } from "../harness/long.ts";

const GROUPS = new Set(["secrets", "finance", "ids"]);
const rows = DETECTORS.filter(({ group }) => group !== null && GROUPS.has(group));
const scanner = createScanner(
  rows.map(({ name }) => name),
  new Map(),
  [],
);
const ROOT = join(import.meta.dir, "../..");
const SECRETS = new Set(rows.filter(({ group }) => group === "secrets").map(({ name }) => name));
const SECRETS_MAX = 5;
const NUMBERS_MAX = 1;
const NUMBERS_CHARACTERS = 10_000_000;
/** Programs that test such values or the guard, and the places in our own code that explain a form. */
const HOLDS_VALUES = /guard|(?:^|\/)(?:tests?|__tests__)\/.*(?:iban|card|string|jwt)|secrets?\./;

interface Alarms {
  /** The different values of each kind, with a file each. */
  readonly secrets: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  readonly characters: number;
}

function search(paths: readonly string[]): Alarms {
  const secrets = new Set<string>();
  const numbers = new Set<string>();
  let characters = 0;
  for (const path of paths) {
    const text = readFileSync(join(ROOT, path), "utf8");
    characters += text.length;
    for (const { from, to, detector } of scanner.search(text)) {
      const kind = SECRETS.has(detector) ? secrets : numbers;
      kind.add(`${detector} ${text.slice(from, to)}`);
    }
  }
  return { secrets, numbers, characters };
}

function list(pattern: string): readonly string[] {
  const paths = new Bun.Glob(pattern).scanSync(ROOT);
  return [...paths].filter((path) => !HOLDS_VALUES.test(path)).sort();
}

test("our own sources have no secret, and hardly a number", () => {
  const { secrets, numbers, characters } = search(sampleRows(list("src/**/*.ts"), 6));
  expect(characters).toBeGreaterThan(500_000);
  expect([...secrets]).toEqual([]);
  expect(numbers.size).toBeLessThanOrEqual(NUMBERS_MAX);
});

test.if(IS_LONG).each(["{bun.lock,package-lock.json}", "node_modules/**/*.{js,ts,md}"])(
  "few false alarms in %s",
  (pattern) => {
    const { secrets, numbers, characters } = search(list(pattern));
    const numbersMax = Math.max(NUMBERS_MAX, Math.ceil(characters / NUMBERS_CHARACTERS) * NUMBERS_MAX);
    expect(characters).toBeGreaterThan(10_000);
    expect([...secrets].slice(SECRETS_MAX)).toEqual([]);
    expect([...numbers].slice(numbersMax)).toEqual([]);
  },
  60_000,
);
