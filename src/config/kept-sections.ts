// The sections of the configuration's schema that say what is kept of requests and answers.
import { Type } from "@sinclair/typebox";
import { duration, section, size } from "./field-types.ts";

const optional = Type.Optional;

export const KEPT_SECTIONS = {
  log: optional(
    section(
      { content: optional(Type.Boolean()), keep: optional(duration("1s", "3650d")) },
      "What is kept of requests.",
    ),
  ),
  responses: optional(
    section(
      {
        keep: optional(
          Type.Union([Type.Literal(0), duration("1m", "3650d")], {
            expected: "a duration like 30d, from 1m to 3650d, or 0 to keep none",
          }),
        ),
        max_bytes: optional(size("1MB", "100GB")),
        upstream_store: optional(Type.Boolean()),
      },
      "Conversations of the Responses API that are kept.",
    ),
  ),
} as const;
