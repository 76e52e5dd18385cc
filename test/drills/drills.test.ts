// The house's measures: the files that a change takes, the members of the ports, and the code that a request runs.
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { findRecipe } from "../tidy/recipes.ts";
import { expectNone } from "../tidy/sources.ts";
import { GUIDE, judgeAndRecord } from "./budgets.ts";
import { CHANGES, listPlaces } from "./changes.ts";
import { readCode } from "./code.ts";
import { MEMBERS } from "./ports.ts";

/** Lines by file in each take, by kind of request. */
type Footprints = Readonly<Record<string, readonly Readonly<Record<string, number>>[]>>;

const REQUESTS = ["a chat, whole", "a chat streamed from Anthropic", "an embedding", "an admin change"];

const code = readCode();

test.each(CHANGES)("$title takes no more files than its bound: $example", (change) => {
  const { title, example, most, reason } = change;
  const places = listPlaces(change, code);
  const why = reason === undefined ? "" : ` (${reason})`;
  console.log(`${title}: ${example}: ${places.length} of ${most}${why}: ${places.join(", ")}`);
  expect(places.length, places.join(", ")).toBeGreaterThan(0);
  expect(places.length, places.join(", ")).toBeLessThanOrEqual(most);
});

test("the guide or a recipe names the files that each change takes", () => {
  expectNone(
    CHANGES.flatMap((change) => {
      const [, paragraph = ""] = GUIDE.split(`**${change.title}**`);
      const [own = ""] = paragraph.split(" - **");
      const text = own + findRecipe(change.title);
      const named = (path: string) => text.includes(`\`${path}\``);
      return listPlaces(change, code)
        .filter((path) => !named(path))
        .map((path) => `${change.title}, ${change.example}: ${path}`);
    }),
  );
});

test.each(Object.entries(MEMBERS))("%s has no more members than its budget", (name, members) => {
  expectNone(judgeAndRecord(`members: ${name}`, { members }));
});

async function measureFootprints(): Promise<Footprints> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "footprint.process.ts")], {
    stdout: "pipe",
    stderr: "inherit",
  });
  return await new Response(child.stdout).json();
}

let footprints: Footprints;
beforeAll(async () => {
  footprints = await measureFootprints();
}, 300_000);

test.each(REQUESTS)("%s runs no more code than its budget, and the same each time", (name) => {
  const [files = {}, ...others] = footprints[name] ?? [];
  // `FOOTPRINTS=1` prints what each file runs, to compare it with the commit before.
  if (process.env.FOOTPRINTS) console.log(files);
  for (const other of others) expect(other).toEqual(files);
  const counts = Object.values(files);
  const lines = counts.reduce((sum, one) => sum + one, 0);
  expectNone(judgeAndRecord(name, { files: counts.length, lines }));
});

/** Looks whether Claude's prompt is long enough for its cache. */
const PLANNING = ["dialects/_chat/cache/plan-marks.ts"];
/** Name a conversation, order by the name's hash, and remember the turns. */
const NAMING = [
  "gateway/attempt/mark-signs.ts",
  "health/order/hash-order.ts",
  "health/recent-turns.ts",
  "operations/chat/conversation.ts",
];

test.each([
  ["a chat, whole", []],
  ["an embedding", []],
  ["a chat streamed from Anthropic", PLANNING],
  ["a long chat over two keys of Claude's", [...PLANNING, ...NAMING]],
])("of what names, orders and marks conversations, %s runs nothing but %p", (name, expected) => {
  const files = new Set((footprints[name] ?? []).flatMap((take) => Object.keys(take)));
  expect([...PLANNING, ...NAMING].filter((path) => files.has(path))).toEqual([...expected]);
});
