// Tags as one text, for headers, flags, forms and the store: team=search,env=prod.

/** Values by name. */
export type Tags = Readonly<Record<string, string>>;

/** The most tags that a header, a key or an account may have. */
export const TAGS_MAX = 8;
/** The most characters of a tag. */
export const TAG_CHARACTERS_MAX = 64;
/** The most characters of a text that is read. Beyond them, it is spaces or too many tags. */
const TEXT_CHARACTERS_MAX = 1000;
/** A comma ends a tag. A leading sign would make a formula of it in a table. */
export const TAG_PATTERN = "[A-Za-z0-9][A-Za-z0-9_.:/-]*=[!-+\\--~]([ -+\\--~]*[!-+\\--~])?";
const TAG_SHAPE = new RegExp(`^${TAG_PATTERN}$`);

export const TAGS_EXPECTED = `at most ${TAGS_MAX} tags like team=search,env=prod, each name once; a tag has at most ${TAG_CHARACTERS_MAX} characters: a name of letters, digits and _ . : / -, and a value of printable ASCII without commas`;

function isTag(tag: string): boolean {
  return tag.length <= TAG_CHARACTERS_MAX && TAG_SHAPE.test(tag);
}

/** True if all are valid, and not too many. */
export function areTags(tags: Tags): boolean {
  const names = Object.keys(tags);
  return names.length <= TAGS_MAX && !names.join("").includes("=") && listTags(tags).every(isTag);
}

/**
 * Returns a text as a tag's value can be: other characters than printable ASCII, and commas, become `_`, and what is too long is
 * cut. Empty if nothing is left.
 */
export function cleanTagValue(name: string, text: string): string {
  const room = TAG_CHARACTERS_MAX - name.length - 1;
  return text
    .trim()
    .slice(0, room)
    .replace(/[^ -+\--~]/g, "_")
    .trim();
}

/** Reads tags separated by commas. Null if they aren't valid, if a name is given twice, or if there are none. */
export function parseTags(text: string): Tags | null {
  if (text.length > TEXT_CHARACTERS_MAX) return null;
  const given = text.split(",").map((tag) => tag.trim());
  if (!given.every(isTag)) return null;
  const tags = readTags(given);
  return given.length <= TAGS_MAX && Object.keys(tags).length === given.length ? tags : null;
}

/** Returns the tags as text, sorted, so that the same tags are the same text: `env=prod,team=search`. */
export function formatTags(tags: Tags): string {
  return listTags(tags).sort().join(",");
}

/** Reads what `formatTags` wrote. */
export function readTagsText(text: string): Tags {
  return readTags(text.split(","));
}

function readTags(tags: readonly string[]): Tags {
  return Object.fromEntries(
    tags.map((tag) => {
      const at = tag.indexOf("=");
      return [tag.slice(0, at), tag.slice(at + 1)];
    }),
  );
}

function listTags(tags: Tags): string[] {
  return Object.entries(tags).map(([name, value]) => `${name}=${value}`);
}

/** A header whose value becomes a request's tag. */
export interface TagHeader {
  readonly tag: string;
  /** In lower case. */
  readonly header: string;
}
