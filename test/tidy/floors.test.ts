// The floors within rooms: a folder imports only from its own and lower ones, with a list of exceptions that only shrinks.
import { expect, test } from "bun:test";
import { FLOORS, UPWARD } from "./rooms.ts";
import { expectNone, readSources, type Source } from "./sources.ts";

const sources = readSources("src");

/** The folder of a file within its room, empty at the room's root. */
function findFloor(room: string, path: string): string {
  return new RegExp(`^src/${room}/([^/]+)/`).exec(path)?.[1] ?? "";
}

function listFiles(room: string): readonly Source[] {
  return sources.filter(({ path }) => path.startsWith(`src/${room}/`));
}

/** Returns the files behind each arrow from a folder of the room to one on a higher floor. */
function findUpward(room: string, floors: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const arrows = new Map<string, string[]>();
  for (const { path, imports } of listFiles(room)) {
    const from = findFloor(room, path);
    for (const target of imports) {
      const to = findFloor(room, target);
      if (!target.startsWith(`src/${room}/`) || floors.indexOf(to) <= floors.indexOf(from)) continue;
      arrows.getOrInsertComputed(`${from} → ${to}`, () => []).push(`${path} imports ${target}`);
    }
  }
  return arrows;
}

for (const [room, floors] of Object.entries(FLOORS)) {
  test(`each folder of ${room} has one floor`, () => {
    const folders = new Set(listFiles(room).map(({ path }) => findFloor(room, path)));
    expect(floors.toSorted()).toEqual([...folders].sort());
  });

  test(`folders of ${room} import only from their own and lower floors, but for those on the list`, () => {
    const listed = UPWARD[room] ?? [];
    const upward = findUpward(room, floors);
    expectNone([
      ...[...upward].flatMap(([arrow, imports]) => (listed.includes(arrow) ? [] : imports)),
      ...listed
        .filter((arrow) => !upward.has(arrow))
        .map((arrow) => `${arrow} is gone: take it off the list`),
    ]);
  });
}
