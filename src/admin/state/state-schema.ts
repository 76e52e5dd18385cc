// A state file at a running gateway: what is asked of it, and what it would change or has changed.
import { type Static, Type } from "@sinclair/typebox";
import { allowNull, allowWords, anyObject, boolean, closeObject, count, text, type View } from "../schema.ts";

const FILE_CHARACTERS_MAX = 4096;

export const stateRequestSchema = closeObject({
  file: Type.String({
    minLength: 1,
    maxLength: FILE_CHARACTERS_MAX,
    description: "The name by which the gateway knows what the file made.",
  }),
  state: Type.Unknown({ description: "The file's content, as `poundkey export state --json` writes it." }),
  apply: Type.Optional(
    Type.Boolean({ description: "If false or missing, the changes are only listed, and none is made." }),
  ),
  prune: Type.Optional(
    Type.Boolean({ description: "If true, what this file made before and no longer has is removed." }),
  ),
  removals: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: "The removals that were listed. Any other number is refused, and nothing is changed.",
    }),
  ),
});
export type StateRequest = Static<typeof stateRequestSchema>;

const about = { type: text, id: text, name: text, account: allowNull(text) };

const changeSchema = Type.Object({
  action: text,
  ...about,
  before: allowNull(anyObject),
  after: allowNull(anyObject),
  drift: Type.Boolean({ description: "True if somebody has changed it since the file was applied." }),
});

export const stateAnswerSchema = Type.Object({
  applied: boolean,
  issues: Type.Array(
    Type.Object({
      path: Type.Array(Type.Union([text, count])),
      at: allowWords(["key", "value"]),
      message: text,
    }),
    { description: "The mistakes of the file. If there is one, nothing is changed." },
  ),
  changes: Type.Array(changeSchema),
  removals: Type.Array(changeSchema),
  kept: Type.Array(Type.Object({ ...about, reason: text })),
  unchanged: count,
  others: count,
  older_nodes: Type.Array(text, {
    description: "Live nodes of older programs that wouldn't keep the changes, and that these would stop.",
  }),
  account_names: Type.Record(text, text, {
    description: "By the ids of accounts that stand in the changes.",
  }),
  warnings: Type.Array(text),
  is_whole: Type.Boolean({
    description: "False if changes are left, as after some seconds. Send the same request again.",
  }),
  secrets: Type.Array(
    Type.Object({ type: text, id: text, name: text, account_id: allowNull(text), secret: text }),
    { description: "Those of new keys and tokens, shown only once." },
  ),
  failure: allowNull(Type.Object({ code: text, message: text, param: allowNull(text) })),
});
export type StateAnswer = View<typeof stateAnswerSchema>;

export const exportedStateSchema = Type.Record(text, Type.Array(anyObject), {
  description: "Lists of accounts, keys, aliases and tokens, without secrets.",
});
export type ExportedState = View<typeof exportedStateSchema>;
