// The configuration's `catalogue`: a file of models, and the list of prices that ours are compared with.
import { Type } from "@sinclair/typebox";
import { FEED_FORMATS } from "../core/models/feed-format.ts";
import { choice, duration, filePath, section, text } from "./field-types.ts";

export const catalogue = Type.Union(
  [
    filePath,
    section(
      {
        file: Type.Optional(filePath),
        watch: Type.Optional(
          section(
            {
              from: text("an https URL", /^[^\s]{1,2000}$/),
              format: choice(FEED_FORMATS),
              every: Type.Optional(duration("1h", "30d")),
            },
            "A list of prices that the gateway compares its own with. It applies nothing by itself.",
          ),
        ),
      },
      "A file of models, and where to look for newer prices.",
    ),
  ],
  { expected: "a file path, or a mapping of file and watch" },
);
