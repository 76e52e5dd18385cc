// A release is refused if its comparison has rows that nobody has looked up for long: asked on a fixed day, not on this one.
import { afterAll, expect, test } from "bun:test";
import { makeTree, type Tree } from "./tree.ts";

const HEAD = "| what | source |\n|---|---|\n";
const row = (...dates: readonly string[]) =>
  `| a | ${dates.map((date) => `[docs of a 1.2, ${date}](https://a.example/${date})`).join(", ")} | \`b\` |\n`;
const KEPT = "the comparison's rows are no older than 120 days\n";

const trees: Tree[] = [];
afterAll(() => {
  for (const tree of trees) tree.remove();
});

function check(page: string, today: string) {
  const tree = makeTree("1.4.0");
  trees.push(tree);
  tree.write("src/docs/compare.md", `# Compared\n\nThat was in 2019-01-01.\n\n${HEAD}${page}`);
  return tree.run("check-compare.sh", [], { TODAY: today });
}

test.concurrent.each([
  ["rows of the last day that counts", row("2026-08-01", "2026-11-29"), "2026-11-29"],
  ["rows of this day", row("2026-11-29"), "2026-11-29"],
  ["rows over the end of a year that has a leap day", row("2027-11-03"), "2028-03-02"],
])("%s pass", async (_, page, today) => {
  expect(await check(page, today)).toEqual({ code: 0, out: KEPT, err: "" });
});

test.concurrent.each([
  [
    "a row of the day before",
    row("2026-11-29") + row("2026-08-01"),
    "2026-11-30",
    "line 8: its source is of 2026-08-01, 121 days ago\n",
  ],
  [
    "one of a row's two sources",
    row("2028-02-29", "2027-11-02"),
    "2028-03-02",
    "line 7: its source is of 2027-11-02, 121 days ago\n",
  ],
  [
    "a row without a date",
    "| a | [docs](https://a.example/2026-11-29) |\n",
    "2026-11-29",
    "line 7: its source has no date\n",
  ],
  ["a page without rows", "", "2026-11-29", "there are no rows\n"],
])("%s is refused", async (_, page, today, says) => {
  const { code, out, err } = await check(page, today);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toStartWith(says);
  expect(err).toContain("look these rows of src/docs/compare.md up again");
});
