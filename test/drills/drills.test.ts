// The house's measures: the files that a change takes, the members of the ports, and the code that a request runs.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectNone, ROOT } from "../tidy/sources.ts";
import { CHANGES, listPlaces } from "./changes.ts";
import { readCode } from "./code.ts";
import FOOTPRINTS from "./footprints.data.json";
import { countMembers, PORTS } from "./ports.ts";

/** Lines by file, by kind of request. */
type Footprints = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The share by which a request's code may grow unnoticed: timers that fire meanwhile run up to 1 %. */
const TOLERANCE = 0.02;
const FILE = join(import.meta.dir, "footprints.data.json");

const code = readCode();
const guide = readFileSync(join(ROOT, "src/README.md"), "utf8").replaceAll(/\s+/g, " ");

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
      const [, paragraph = ""] = guide.split(`**${change.title}**`);
      const [own = ""] = paragraph.split(" - **");
      const named = (path: string) => own.includes(`\`${path}\``);
      return listPlaces(change, code)
        .filter((path) => !named(path))
        .map((path) => `${change.title}, ${change.example}: ${path}`);
    }),
  );
});

test.each(PORTS)("$name has no more members than its bound", (port) => {
  const members = countMembers(code, port);
  console.log(`${port.name}: ${members} members of ${port.most}`);
  expect(members).toBeGreaterThan(0);
  expect(members).toBeLessThanOrEqual(port.most);
});

test("a request runs no more code than it did", async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "footprint.process.ts")], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const now: Footprints = await new Response(child.stdout).json();
  if (process.env.UPDATE_FOOTPRINTS) writeFileSync(FILE, `${JSON.stringify(now, null, 1)}\n`);
  const before: Footprints = FOOTPRINTS;
  for (const [kind, lines] of Object.entries(now)) console.log(`${kind}: ${describe(lines)}`);
  expect(Object.keys(now)).toEqual(Object.keys(before));
  if (!process.env.UPDATE_FOOTPRINTS)
    expectNone(Object.keys(now).flatMap((kind) => listGrowth(kind, before, now)));
}, 60_000);

function count(lines: Readonly<Record<string, number>>): readonly [files: number, lines: number] {
  const counts = Object.values(lines);
  return [counts.length, counts.reduce((sum, one) => sum + one, 0)];
}

function describe(lines: Readonly<Record<string, number>>): string {
  const [files, all] = count(lines);
  return `${all} lines in ${files} files`;
}

/** Returns nothing, or the sums and the files that came in or grew. */
function listGrowth(kind: string, before: Footprints, now: Footprints): readonly string[] {
  const was = before[kind] ?? {};
  const is = now[kind] ?? {};
  const old = count(was);
  const sums = count(is);
  if (sums.every((sum, at) => sum <= Math.ceil((old[at] ?? 0) * (1 + TOLERANCE)))) return [];
  const grown = Object.entries(is).filter(([path, lines]) => lines > (was[path] ?? 0));
  return [
    `${kind}: ${describe(was)} before, ${describe(is)} now. UPDATE_FOOTPRINTS=1 accepts it.`,
    ...grown.map(([path, lines]) => `${path}: ${was[path] ?? "not run"} before, ${lines} lines now`),
  ];
}

test("code that came in is named", () => {
  const before = { chat: { "one.ts": 100 } };
  expect(listGrowth("chat", before, { chat: { "one.ts": 102 } })).toEqual([]);
  expect(listGrowth("chat", before, { chat: { "one.ts": 100, "two.ts": 3 } })).toEqual([
    "chat: 100 lines in 1 files before, 103 lines in 2 files now. UPDATE_FOOTPRINTS=1 accepts it.",
    "two.ts: not run before, 3 lines now",
  ]);
});
