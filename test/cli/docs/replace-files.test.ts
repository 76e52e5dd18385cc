// A folder of made files: what is replaced, what goes, and what is never touched.
import { afterAll, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFiles } from "../../../src/cli/docs/replace-files.ts";

const scratch = mkdtempSync(join(tmpdir(), "poundkey-files-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const LIST = ".poundkey-docs.json";
let folder = "";
let count = 0;
beforeEach(() => {
  folder = join(scratch, `${count++}`);
});

const make = (names: string, isForced = false) =>
  replaceFiles(folder, new Map(names.split(" ").map((name) => [name, `made ${name}`])), isForced);
const write = (name: string, text = "own") => writeFileSync(join(folder, name), text);
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const list = () => readdirSync(folder).toSorted().join(" ");

test("files that are no longer made go, and files of others stay", () => {
  make("a b");
  write("CNAME");
  make("b c", true);
  expect(list()).toBe(`${LIST} CNAME b c`);
  expect([read("CNAME"), read("b")]).toEqual(["own", "made b"]);
});

test("a folder that isn't empty is left alone without force, even if all of it was made", () => {
  make("a");
  expect(() => make("a b")).toThrow("isn't empty");
  expect(list()).toBe(`${LIST} a`);
});

test("a file of somebody else's by the same name is never replaced, and then nothing is written", () => {
  mkdirSync(folder);
  write("b");
  expect(() => make("a b", true)).toThrow("files of others: b");
  expect([list(), read("b")]).toEqual(["b", "own"]);
});

test("a link in the place of a made file is replaced, and what it leads to stays", () => {
  make("a");
  const outside = join(scratch, "outside");
  writeFileSync(outside, "own");
  rmSync(join(folder, "a"));
  symlinkSync(outside, join(folder, "a"));
  make("a", true);
  expect([lstatSync(join(folder, "a")).isSymbolicLink(), readFileSync(outside, "utf8")]).toEqual([
    false,
    "own",
  ]);
});

test("a list that somebody changed removes nothing outside of the folder, nor a folder in it", () => {
  make("a");
  const outside = join(scratch, "kept");
  writeFileSync(outside, "own");
  mkdirSync(join(folder, "sub"));
  write("sub/x");
  write(LIST, JSON.stringify({ files: ["a", "../kept", outside, "sub/x", ".", "..", 7] }));
  make("a", true);
  expect([readFileSync(outside, "utf8"), read("sub/x")]).toEqual(["own", "own"]);
});

test("after a run that was cut short, the next one knows all of its files", () => {
  make("a b");
  expect(() =>
    replaceFiles(
      folder,
      new Map([
        ["c", "2"],
        ["no/such", "2"],
      ]),
      true,
    ),
  ).toThrow();
  make("d", true);
  expect(list()).toBe(`${LIST} d`);
});

test("a file in the place of the folder, or above it, is named", () => {
  writeFileSync(folder, "own");
  expect(() => make("a", true)).toThrow("isn't a folder");
  const file = folder;
  folder = join(file, "below");
  expect(() => make("a")).toThrow("ENOTDIR");
  expect(readFileSync(file, "utf8")).toBe("own");
});

test.skipIf(process.getuid?.() === 0)("a folder without permission is named (skipped as root)", () => {
  mkdirSync(folder);
  chmodSync(folder, 0o500);
  expect(() => make("a")).toThrow("EACCES");
});
