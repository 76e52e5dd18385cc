// The tests own the folder that they look at: a start in the clone, or a configuration there, changes no test.
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { relative } from "node:path";
import { expectNone, ROOT, readSources } from "../tidy/sources.ts";

test("tests and the commands that they start work in an empty folder outside the project", () => {
  const started = Bun.spawnSync(["pwd", "-P"]).stdout.toString().trim();
  for (const folder of [process.cwd(), started]) {
    expect(relative(ROOT, folder)).toStartWith("..");
    expect(readdirSync(folder)).toEqual([]);
  }
});

/** They start `bun test`, which finds its files from there. */
const STARTERS = ["test/runner/command.ts", "test/app/npm/run.ts"];

test("no test leaves its folder for one of the project's", () => {
  const leaves = /\bcwd: (?:ROOT|import\.meta\.dir|join\((?:ROOT|import\.meta\.dir))|process\.chdir\(/;
  expectNone(
    readSources("test")
      .filter(
        ({ path }) =>
          ![...STARTERS, "test/harness/own-folder.ts", "test/harness/own-folder.test.ts"].includes(path),
      )
      .flatMap(({ path, lines }) =>
        lines.flatMap((line, at) => (leaves.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
      ),
  );
});
