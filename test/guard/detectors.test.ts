// Each detector against its vectors, and the list of them against the manual's groups.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DETECTORS, GROUPS } from "../../src/guard/detectors.ts";
import { createScanner, type Scanner } from "../../src/guard/scanner.ts";

import { mintAdminToken, mintLoginSecret, mintSecret, mintTokenSecret } from "../../src/keys/secret.ts";
import { VECTORS } from "./vectors.ts";

const NO_WORDS = new Map<string, readonly string[]>();

/** Returns the text with marks around what was found. */
function mark(scanner: Scanner, text: string): string {
  let marked = "";
  let at = 0;
  for (const { from, to } of scanner.search(text)) {
    marked += `${text.slice(at, from)}«${text.slice(from, to)}»`;
    at = to;
  }
  return marked + text.slice(at);
}

test("every detector has vectors, and every vector a detector", () => {
  expect(
    Object.keys(VECTORS),
    "each detector has its vectors in test/guard/vectors.ts, in the order of src/guard/detectors.ts",
  ).toEqual(DETECTORS.map(({ name }) => name));
  for (const [name, { found, absent }] of Object.entries(VECTORS)) {
    const least = name === "poundkey_key" ? 0 : 1;
    expect({ name, isProven: found.length >= least && absent.length > 0 }).toEqual({ name, isProven: true });
  }
});

test("the manual lists each group's detectors by name, but for secrets and ids", () => {
  const manual = readFileSync(join(import.meta.dir, "../../src/docs/guard.md"), "utf8");
  const rows = [...GROUPS]
    .filter(([group]) => group !== "secrets" && group !== "ids")
    .map(([group, names]) => `| \`${group}\` | ${names.map((name) => `\`${name}\``).join(", ")} |`);
  expect(
    rows.filter((row) => !manual.includes(row)),
    "src/docs/guard.md, under What a rule detects, takes",
  ).toEqual([]);
});

test("the gateway's own keys are found by their checksum", () => {
  const scanner = createScanner(["poundkey_key"], NO_WORDS, []);
  const random = { bytes: (count: number) => new Uint8Array(count).fill(7), fraction: () => 0.5 };
  for (const secret of [
    mintSecret(random),
    mintTokenSecret(random),
    mintLoginSecret(random),
    mintAdminToken(random),
  ]) {
    expect(mark(scanner, `x ${secret}.`)).toBe(`x «${secret}».`);
    expect(mark(scanner, `x ${secret}a`)).toBe(`x ${secret}a`);
  }
});

describe.each(Object.entries(VECTORS))("%s", (name, { found, absent }) => {
  const scanner = createScanner([name], NO_WORDS, []);

  test.each(found)("finds the value in %j", (text) => {
    expect(mark(scanner, text.replaceAll(/[«»]/g, ""))).toBe(text);
  });

  test.each(absent)("finds none in %j", (text) => {
    expect(mark(scanner, text)).toBe(text);
  });
});
