// The schemas of a key's fields, and the grace of a secret that is replaced.
import { type Static, Type } from "@sinclair/typebox";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { DURATION, parseDuration } from "../../core/text/duration.ts";
import { makeChangeSchema, makeNewSchema } from "../fields.ts";
import { allowWords, closeObject } from "../schema.ts";

const GRACE_MAX = "30d";

/** A personal key belongs to the person who makes it, and ends with them. */
export const KEY_KINDS = ["service", "personal"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const newKeySchema = makeNewSchema(KEY_FIELDS, { kind: Type.Optional(allowWords(KEY_KINDS)) });
export const keyChangeSchema = makeChangeSchema(KEY_FIELDS);

const expected = `a duration like 24h (ms, s, m, h or d), up to ${GRACE_MAX}`;
const grace = Type.Union(
  [
    Type.String({ pattern: DURATION.source, expected }),
    Type.Integer({ minimum: 0, maximum: 0, expected }),
    Type.Null(),
  ],
  { description: "How long the old secret still works: a duration like 24h. By default it stops at once." },
);
export const rotationSchema = closeObject({ grace: Type.Optional(grace) });

/** Returns the grace in milliseconds. */
export function readGrace({ grace }: Static<typeof rotationSchema>): number {
  const graceMs = typeof grace === "string" ? parseDuration(grace) : 0;
  if (graceMs !== null && graceMs <= (parseDuration(GRACE_MAX) ?? 0)) return graceMs;
  throw invalidValue("grace", `expected ${expected}`);
}
