// A demo's folder: private, locked while it runs, gone at its end; nothing else in the cache is deleted.
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { findDemosFolder, makeDemoFolder } from "../../../src/app/demo/demo-folder.ts";

let home = "";
let parent = "";
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "poundkey-demo-"));
  parent = join(home, "poundkey", "demo");
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const env = (variables: Readonly<Record<string, string>>) => (name: string) => variables[name];

test("a demo's folder lies in the user's cache, and a variable that isn't an absolute path is ignored", () => {
  expect(findDemosFolder(env({ XDG_CACHE_HOME: "/c", HOME: "/h" }))).toBe("/c/poundkey/demo");
  expect(findDemosFolder(env({ XDG_CACHE_HOME: "c", HOME: "/h" }))).toBe("/h/.cache/poundkey/demo");
  expect(findDemosFolder(env({}))).toBeNull();
});

test("a demo's folder is private, and gone at the demo's end", () => {
  const own = makeDemoFolder(parent);
  expect([lstatSync(parent).mode & 0o777, lstatSync(own.path).mode & 0o777]).toEqual([0o700, 0o700]);
  own.remove();
  expect(existsSync(own.path)).toBe(false);
});

test("a start deletes what a killed demo left, and nothing that runs, is a link, is open to others or has another name", () => {
  const running = makeDemoFolder(parent);
  const make = (name: string, mode = 0o700) => {
    const path = join(parent, name);
    mkdirSync(path);
    chmodSync(path, mode);
    writeFileSync(join(path, "poundkey.db"), "");
    return path;
  };
  const left = make("run-killed");
  const kept = [make("run-open", 0o755), make("mine"), running.path];
  const target = join(home, "target");
  mkdirSync(target, { mode: 0o700 });
  symlinkSync(target, join(parent, "run-link"));
  const own = makeDemoFolder(parent);
  expect(
    [left, ...kept, target, join(parent, "run-link")].map((path) => [basename(path), existsSync(path)]),
  ).toEqual([
    ["run-killed", false],
    ["run-open", true],
    ["mine", true],
    [basename(running.path), true],
    ["target", true],
    ["run-link", true],
  ]);
  running.remove();
  own.remove();
});

test("a folder that others may write is refused", () => {
  const open = join(home, "open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  expect(() => makeDemoFolder(open)).toThrow("chmod 700");
});
