// The problems of the process that answers, for the console's banner.
import { Type } from "@sinclair/typebox";
import { allowWords, instant, text, type View } from "../schema.ts";

export const problemSchema = Type.Object({
  kind: allowWords(["store", "configuration", "payment", "provider"]),
  since: instant,
  message: text,
  provider: Type.Union([text, Type.Null()], {
    description: "The provider that fails. Null for problems of another kind.",
  }),
});
export type ProblemView = View<typeof problemSchema>;
