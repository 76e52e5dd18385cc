// Installs outside the checkout: made once, kept only when whole, and found by the checkout.
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install, nameWeek, type Place } from "./install.ts";
import type { Install } from "./installs.ts";

let root = "";
let place: Place;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "poundkey-install-"));
  mkdirSync(join(root, "cache"));
  writeFileSync(join(root, "names.txt"), "one");
  place = { root, cache: join(root, "cache"), now: new Date("2026-11-28"), isFresh: false };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Counts in `made.txt` how often it was made, and installs one file. */
function makeInstall(then = "true"): Install {
  return {
    name: "fake",
    at: "tools",
    from: ["names.txt"],
    version: ["true"],
    within: "bin",
    prepare: () => {},
    commands: (folder) => [
      ["sh", "-c", `echo made >>made.txt; mkdir -p "$0/bin" && cp names.txt "$0/bin/tool"; ${then}`, folder],
    ],
  };
}
const countMade = () => readFileSync(join(root, "made.txt"), "utf8").split("\n").length - 1;
const readTool = () => readFileSync(join(root, "tools", "tool"), "utf8");

test("what one run installs, the next takes, also in another checkout", async () => {
  expect(await install(makeInstall(), place)).toMatchObject({ isWhole: true, isKept: false });
  rmSync(join(root, "tools"), { recursive: true });
  expect(await install(makeInstall(), place)).toMatchObject({ isWhole: true, isKept: true });
  expect([countMade(), readTool()]).toEqual([1, "one"]);
});

test("other names, another week and a fresh run install anew", async () => {
  await install(makeInstall(), place);
  writeFileSync(join(root, "names.txt"), "two");
  await install(makeInstall(), place);
  expect([countMade(), readTool()]).toEqual([2, "two"]);
  await install(makeInstall(), { ...place, now: new Date("2026-11-30") });
  expect(countMade()).toBe(3);
  await install(makeInstall(), { ...place, isFresh: true });
  expect(countMade()).toBe(4);
});

test("an install that fails is tried twice, said, linked as far as it is, and not kept", async () => {
  const failed = await install(makeInstall("echo no such package; exit 1"), place);
  expect(failed).toMatchObject({ isWhole: false, text: expect.stringContaining("no such package") });
  expect([countMade(), readTool()]).toEqual([2, "one"]);
  expect(await install(makeInstall(), place)).toMatchObject({ isWhole: true, isKept: false });
});

test("what stands beside the links stays, and links of earlier installs go", async () => {
  mkdirSync(join(root, "tools", "another"), { recursive: true });
  await install(makeInstall('touch "$0/bin/earlier"'), place);
  expect(readdirSync(join(root, "tools")).toSorted()).toEqual(["another", "earlier", "tool"]);
  await install(makeInstall(), { ...place, isFresh: true });
  expect(readdirSync(join(root, "tools")).toSorted()).toEqual(["another", "tool"]);
});

test("installs of more than two weeks ago are removed", async () => {
  await install(makeInstall(), place);
  const later = new Date(Date.now() + 30 * 86_400_000);
  await install(makeInstall(), { ...place, now: later });
  expect(readdirSync(join(place.cache)).filter((name) => name.startsWith("fake-"))).toHaveLength(1);
  expect(existsSync(join(root, "tools", "tool"))).toBe(true);
});

test.each([
  ["2026-11-28", "2026-48"],
  ["2026-11-29", "2026-48"],
  ["2026-11-30", "2026-49"],
  ["2027-01-03", "2026-53"],
  ["2027-01-04", "2027-01"],
])("%s is in the week %s", (day, week) => {
  expect(nameWeek(new Date(day))).toBe(week);
});
