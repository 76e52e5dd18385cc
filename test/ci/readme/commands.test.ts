// Each command of the README has a row by which `run.ts` judges it, and each row has a command. Nothing is run here.
import { describe, expect, test } from "bun:test";
import { scripts as packaged } from "../../../package.json" with { type: "json" };
import { asObject } from "../../../src/core/json/json.ts";
import { readDocument } from "../../docs/documents.ts";
import { EXAMPLE, findUnmatched, listPrinted, readSourcesPage } from "./commands.ts";
import { chooseForm, chooseRows, ROWS, type Row } from "./rows.ts";

const printed = listPrinted(readSourcesPage(readDocument("README.md")));

test("each command of the README has a row, and each row has a command", () => {
  expect(findUnmatched(printed, ROWS)).toEqual([]);
});

test("the rows stand in the README's order, and `npm test` runs last", () => {
  const order = printed.map(({ command }) => command).filter((command) => command !== "npm test");
  const rows = chooseRows(() => true).map(({ command }) => command);
  // The example runs beside the gateway that `npm start` has started, though the README has it later.
  const isNot = (command: string) => command !== EXAMPLE;
  expect(rows.filter(isNot)).toEqual([...order.filter(isNot), "npm test"]);
});

test("a script that is run by npm is one of the project's", () => {
  const scripts = asObject(packaged);
  const forms = ROWS.flatMap((row) => [
    row.command,
    ...[true, false].map((is) => chooseForm(row, is).command),
  ]);
  const called = forms.flatMap((command) => /^npm (?:run )?([\w:]+)/.exec(command)?.[1] ?? []);
  expect(called.length).toBeGreaterThan(0);
  expect(called.filter((name) => !(name in scripts))).toEqual([]);
});

test("a command that another needs has a row before it", () => {
  const before = (command: string, at: number) => ROWS.slice(0, at).some((row) => row.command === command);
  const needs = ROWS.flatMap(({ beside, after }, at) =>
    [beside, after].flatMap((need) => (need === undefined ? [] : [{ need, at }])),
  );
  expect(needs.length).toBeGreaterThan(0);
  expect(needs.filter(({ need, at }) => !before(need, at))).toEqual([]);
});

describe("a page's commands", () => {
  test("are the lines of its blocks without comments, and what begins with a program in its sentences", () => {
    const page = [
      "Run `npm test`, or `npm\nrun x`. A `kill -9`, `npm` and `sk-…` are none, and `npm start` stands below too.",
      "```sh\n# first\nnpm start   # starts it\na && b \\\n  --c\n\n```",
      "```js\nawait `npm run not`;\n```",
      "```yaml\nnpm: start\n```",
      "At the end `./dist/poundkey serve`.",
    ].join("\n\n");
    expect(listPrinted(page)).toEqual([
      { command: "npm test" },
      { command: "npm run x" },
      { command: "npm start" },
      { command: "a && b --c" },
      { command: EXAMPLE, text: "await `npm run not`;\n" },
      { command: "./dist/poundkey serve" },
    ]);
  });

  test("without a row, and rows without a command, are named", () => {
    expect(findUnmatched([{ command: "npm start -- demo" }], [{ command: "npm start" }])).toEqual([
      "README.md: `npm start -- demo` has no row in test/ci/readme/rows.ts",
      "test/ci/readme/rows.ts: `npm start` is not in README.md",
    ]);
  });
});

describe("of the rows", () => {
  const rows: readonly Row[] = [
    { command: "tests", judged: { by: "counts" } },
    { command: "gateway", judged: { by: "quick start" } },
    { command: "one", beside: "gateway", judged: { by: "answer" } },
    { command: "two", after: "one", judged: { by: "answer" } },
  ];
  const choose = (word: string) =>
    chooseRows((command) => command.includes(word), rows).map(({ command }) => command);

  test("a word chooses those that contain it, with what they need", () => {
    expect(choose("")).toEqual(["gateway", "one", "two", "tests"]);
    expect(choose("two")).toEqual(["gateway", "one", "two"]);
    expect(choose("tests")).toEqual(["tests"]);
  });

  test("each has its short form, but in the long form as little is changed as can be", () => {
    const as = { command: "as", because: "" };
    const short = { command: "short", because: "" };
    const row: Row = { command: "printed", judged: { by: "answer" } };
    const form = (one: Row) => [false, true].map((isLong) => chooseForm(one, isLong).command);
    expect(form(row)).toEqual(["printed", "printed"]);
    expect(form({ ...row, as })).toEqual(["as", "as"]);
    expect(form({ ...row, short })).toEqual(["short", "printed"]);
    expect(form({ ...row, as, short })).toEqual(["short", "as"]);
  });
});
