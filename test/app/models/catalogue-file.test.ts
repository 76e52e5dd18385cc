// The catalogue file's one writer: whole files, and no change of another process lost.
import { afterAll, expect, test } from "bun:test";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changeCatalogueFile } from "../../../src/app/models/catalogue-file.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-catalogue-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

function makeFile(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

test("a missing file is null, and is made with what the change returns", async () => {
  const file = join(folder, "missing.json");
  expect(await changeCatalogueFile(file, (before) => JSON.stringify({ before }))).toBe("written");
  expect(readFileSync(file, "utf8")).toBe('{"before":null}');
  expect(statSync(file).mode & 0o777).toBe(0o644);
});

test("null and the same text write nothing", async () => {
  const file = makeFile("same.json", "[]");
  const { ino } = statSync(file);
  expect(await changeCatalogueFile(file, () => null)).toBe("unchanged");
  expect(await changeCatalogueFile(file, (before) => before)).toBe("unchanged");
  expect(statSync(file).ino).toBe(ino);
});

test("a change is made anew on what another process wrote meanwhile", async () => {
  const file = makeFile("contended.json", "0");
  let calls = 0;
  const change = (before: string | null) => {
    calls += 1;
    if (calls < 3) writeFileSync(file, `${10 * calls}`);
    return `${Number(before) + 1}`;
  };
  expect(await changeCatalogueFile(file, change)).toBe("written");
  expect([calls, readFileSync(file, "utf8")]).toEqual([3, "21"]);
});

test("after five tries the file stays as another process left it", async () => {
  const file = makeFile("busy.json", "0");
  let calls = 0;
  const change = () => {
    calls += 1;
    writeFileSync(file, `${calls}`);
    return "mine";
  };
  await expect(changeCatalogueFile(file, change)).rejects.toThrow("each of the 5 times");
  expect([calls, readFileSync(file, "utf8")]).toEqual([5, "5"]);
  expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
});

test("a link still leads to the file, which keeps its mode", async () => {
  const file = makeFile("linked.json", "old");
  Bun.spawnSync(["chmod", "640", file]);
  const link = join(folder, "link.json");
  symlinkSync("linked.json", link);
  await changeCatalogueFile(link, () => "new");
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["new", 0o640]);
  expect(readFileSync(link, "utf8")).toBe("new");
});

test("what killed processes left is removed once it is old", async () => {
  const file = makeFile("left.json", "old");
  const old = makeFile("left.json.0123456789ab.new", "{");
  const recent = makeFile("left.json.ba9876543210.new", "{");
  const other = makeFile("left.json.mine.new", "{");
  for (const one of [old, other]) utimesSync(one, 1, 1);
  await changeCatalogueFile(file, () => "new");
  const names = readdirSync(folder).filter((name) => name.startsWith("left.json."));
  expect(names.toSorted()).toEqual([recent, other].map((path) => path.slice(folder.length + 1)).toSorted());
});
