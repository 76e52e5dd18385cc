// The older releases that can open a store, by the version of the schema that each of them knows.

/** The highest schema of SQLite that a release knows. */
const RELEASES: readonly (readonly [release: string, schema: number])[] = [
  ["1.0", 14],
  ["1.1", 40],
];

/** Says which of them can open a store that supports programs from that version of the schema on. */
export function describeOlder(oldestSupported: number): string {
  const name = (isAble: boolean) =>
    RELEASES.filter(([, schema]) => schema >= oldestSupported === isAble).map(([release]) => release);
  const able = name(true);
  const unable = name(false);
  const words = [
    ...(able.length > 0 ? [`Poundkey ${able.join(" and ")} can open it`] : []),
    ...(unable.length > 0 ? [`${unable.join(" and ")} can't`] : []),
  ];
  return words.join(", and ");
}
