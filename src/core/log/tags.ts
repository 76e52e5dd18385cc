// Tags of requests: pairs of a name and a value, such as `team=search`, by which usage is summed.
import { formatTags, readTagsText, TAG_CHARACTERS_MAX, TAG_PATTERN, type Tags } from "../fields/tags-text.ts";

const DAY_MS = 86_400_000;

/** The tags of an account by which the requests of a day are summed. Others are summed together. */
export const TAGS_PER_DAY_MAX = 500;
/** Stands for all tags in the sums that count a request once. Empty for requests without any. */
export const TAGGED = "tagged";
/** Names the sums of requests without tags, where tags would stand. No tag is written like it. */
export const UNTAGGED = "untagged";
/** Names the sums of the tags beyond the day's first ones. */
export const OTHER_TAGS = "other";

/** The shape of a filter, and what it expects. */
export const TAG_FILTER = {
  maxLength: TAG_CHARACTERS_MAX,
  pattern: `^(${UNTAGGED}|${OTHER_TAGS}|${TAG_PATTERN})$`,
  expected: `a tag like team=search, ${UNTAGGED} or ${OTHER_TAGS}`,
};

/** Adds the tags of a request's key and account to its own, which they replace by name. */
export function addOwners(own: string | null, owners: Tags | undefined): string | null {
  if (owners === undefined) return own;
  return formatTags(own === null ? owners : { ...readTagsText(own), ...owners });
}

/** Returns the record with the tags of its key and account, or the same if they have none. */
export function tagRecord<Row extends { readonly tags: string | null }>(
  record: Row,
  owners: Tags | null | undefined,
): Row {
  return owners ? { ...record, tags: addOwners(record.tags, owners) } : record;
}

/** Returns the start of the UTC day to which the tags of a request belong, in Unix milliseconds. */
export function findTagDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}
