// `tags_from`: tags of requests from headers that clients send anyway, such as the person in front of a chat front end.
import type { Static } from "@sinclair/typebox";
import type { TagHeader } from "../core/fields/tags-text.ts";
import type { Issues } from "./errors.ts";
import { record, text } from "./field-types.ts";

const HEADERS_MAX = 4;
/** Tags are kept and shown: no header that proves somebody's identity may become one, nor one that means something here. */
const NOT_TAKEN =
  /^(authorization|proxy-authorization|cookie|api-key|apikey|x-api-key|x-goog-api-key|x-litellm-api-key|x-portkey-api-key|x-poundkey-.*)$/;

export const tagsFrom = record(
  /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,31}$/,
  "the name of a tag: up to 32 letters, digits and _ . : / -",
  text("the name of a header", /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/),
  "Tags of requests, each from a header.",
);

/** Undefined if there is none, so that requests without the feature are looked at no further. */
export function buildTagHeaders(
  given: Static<typeof tagsFrom> = {},
  issues: Issues,
): readonly TagHeader[] | undefined {
  const all = Object.entries(given).map(([tag, header]) => ({ tag, header: header.toLowerCase() }));
  if (all.length > HEADERS_MAX) issues.atValue(["tags_from"], `has more than ${HEADERS_MAX} headers`);
  for (const { tag, header } of all) {
    if (!NOT_TAKEN.test(header)) continue;
    issues.atValue(["tags_from", tag], "can't become a tag: tags are kept with requests, and are shown");
  }
  return all.length === 0 ? undefined : all;
}
