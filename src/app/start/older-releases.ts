// The older releases that can open a store, by the version of the schema that each of them knows.

/** The highest schema of SQLite that a release knows. */
const RELEASES: readonly (readonly [release: string, schema: number])[] = [
  ["1.0", 7],
  ["1.1", 17],
  ["1.2", 40],
];

const LIST = new Intl.ListFormat("en-GB");

/** Says which of them can open a store that supports programs from that version of the schema on. */
export function describeOlder(oldestSupported: number): string {
  const name = (isAble: boolean) =>
    LIST.format(
      RELEASES.filter(([, schema]) => schema >= oldestSupported === isAble).map(([release]) => release),
    );
  const able = name(true);
  const unable = name(false);
  if (able === "") return `Poundkey ${unable} can't open it`;
  return `Poundkey ${able} can open it${unable === "" ? "" : `, and ${unable} can't`}`;
}
