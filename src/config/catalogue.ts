// The configuration's `catalogue`: a file of models, and the list of prices that ours are compared with.
import { Type } from "@sinclair/typebox";
import { FEED_FORMATS } from "../core/models/feed-format.ts";
import {
  choice,
  duration,
  explainOthers,
  filePath,
  integer,
  list,
  orNull,
  section,
  text,
} from "./field-types.ts";
import { modelPattern } from "./models/model-schema.ts";

/** The changes of a watched list that are taken without a person. */
const TAKES = ["none", "new", "safe"] as const;
const KEYS_MAX = 4;

const watch = section(
  {
    from: text("an https URL or a path", /^[^\s]{1,2000}$/),
    format: Type.Optional(choice(FEED_FORMATS)),
    keys: Type.Optional(
      Type.Array(text("a public key in PEM, or base64 of its 32 bytes", /^[^\0]{1,1000}$/), {
        minItems: 1,
        maxItems: KEYS_MAX,
        uniqueItems: true,
        expected: `a list of 1 to ${KEYS_MAX} public keys`,
      }),
    ),
    take: Type.Optional(choice(TAKES)),
    pin: Type.Optional(orNull(integer(1, Number.MAX_SAFE_INTEGER), "a serial from 1, or null for any")),
    ignore: Type.Optional(list(modelPattern)),
    every: Type.Optional(duration("1h", "30d")),
  },
  "A list of prices that the gateway compares its own with. It applies nothing by itself, unless `take` says so.",
);

export const catalogue = Type.Union(
  [
    filePath,
    explainOthers(
      section(
        { file: Type.Optional(filePath), watch: Type.Optional(watch) },
        "A file of models, and where to look for newer prices.",
      ),
      { keys: "watch.keys", pin: "watch.pin", take: "watch.take" },
    ),
  ],
  { expected: "a file path, or a mapping of file and watch" },
);
