// The words by which sums are grouped, as people type them: `models` for `model`, `person` for `member`.

/** By what the console and people say. */
const MEANT: Readonly<Record<string, string>> = {
  person: "member",
  people: "member",
  user: "member",
  team: "account",
  date: "day",
};

/** Returns the flags with the words of `--group-by` as the API has them. One that isn't known stays. */
export function readGroupWords(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { group_by: groups } = given;
  return groups === undefined ? given : { ...given, group_by: groups.split(",").map(readWord).join(",") };
}

function readWord(text: string): string {
  const word = text.trim().toLowerCase();
  const one = word.replace(/s$/, "");
  return MEANT[word] ?? MEANT[one] ?? one;
}
