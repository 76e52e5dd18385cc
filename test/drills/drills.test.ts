// The house's measures: the files that a change takes, the members of the ports, and the code that a request runs.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { expectNone } from "../tidy/sources.ts";
import { GUIDE, readBudget } from "./budgets.ts";
import { CHANGES, listPlaces } from "./changes.ts";
import { readCode } from "./code.ts";
import { MEMBERS } from "./ports.ts";

/** Lines by file, by kind of request. */
type Footprints = Readonly<Record<string, Readonly<Record<string, number>>>>;

const code = readCode();

test.each(CHANGES)("$title takes no more files than its bound: $example", (change) => {
  const { title, example, most, reason } = change;
  const places = listPlaces(change, code);
  const why = reason === undefined ? "" : ` (${reason})`;
  console.log(`${title}: ${example}: ${places.length} of ${most}${why}: ${places.join(", ")}`);
  expect(places.length, places.join(", ")).toBeGreaterThan(0);
  expect(places.length, places.join(", ")).toBeLessThanOrEqual(most);
});

test("the guide names the files that each change takes", () => {
  expectNone(
    CHANGES.flatMap((change) => {
      const [, paragraph = ""] = GUIDE.split(`**${change.title}**`);
      const [own = ""] = paragraph.split(" - **");
      const named = (path: string) => own.includes(`\`${path}\``);
      return listPlaces(change, code)
        .filter((path) => !named(path))
        .map((path) => `${change.title}, ${change.example}: ${path}`);
    }),
  );
});

test.each(Object.entries(MEMBERS))("%s has no more members than its budget", (name, members) => {
  const [most = Number.NaN] = readBudget(`members: ${name}`);
  console.log(`${name}: ${members} members of ${most}`);
  expect(members).toBeLessThanOrEqual(most);
});

/** Timers on a busy machine only add to what runs, so the least of as many measures is judged. */
const MEASURES_MAX = 3;

async function measureFootprints(): Promise<Footprints> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "footprint.process.ts")], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const footprints: Footprints = await new Response(child.stdout).json();
  expect(Object.keys(footprints)).toHaveLength(4);
  return footprints;
}

test("a request runs no more code than its budget", async () => {
  const within = new Set<string>();
  let above: readonly string[] = ["nothing is measured"];
  for (let measured = 0; above.length > 0 && measured < MEASURES_MAX; measured++) {
    const left = Object.entries(await measureFootprints()).filter(([kind]) => !within.has(kind));
    above = left.flatMap(([kind, lines]) => {
      const beyond = judge(kind, lines);
      if (beyond.length === 0) within.add(kind);
      return beyond;
    });
  }
  expectNone(above);
}, 300_000);

/** Returns nothing, or the sums. `FOOTPRINTS=1` prints what each file runs, to compare it with the commit before. */
function judge(kind: string, files: Readonly<Record<string, number>>): readonly string[] {
  const counts = Object.values(files);
  const lines = counts.reduce((sum, one) => sum + one, 0);
  const [filesMost = Number.NaN, linesMost = Number.NaN] = readBudget(kind);
  console.log(`${kind}: ${counts.length} files of ${filesMost}, ${lines} lines of ${linesMost}`);
  if (process.env.FOOTPRINTS) console.log(files);
  const isWithin = counts.length <= filesMost && lines <= linesMost;
  return isWithin ? [] : [`${kind}: ${counts.length} files and ${lines} lines`];
}

test("a budget that is passed is named", () => {
  expect(judge("a chat, whole", { "one.ts": 1 })).toEqual([]);
  expect(judge("a chat, whole", { "one.ts": 99_999 })).toEqual(["a chat, whole: 1 files and 99999 lines"]);
});
