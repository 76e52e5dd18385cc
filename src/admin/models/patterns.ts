// The schemas of patterns of models in requests.
import { Type } from "@sinclair/typebox";

/** A model or selector, or a pattern of them. */
export const pattern = Type.String({
  pattern: "^(\\*|[A-Za-z0-9*][A-Za-z0-9*._-]{0,63}#[^\\s#]{1,200})$",
  expected: "a model id like OpenAI#gpt-5.4 or Router#fair, or a pattern like OpenAI#*",
});
/** Budgets may name models by any part of their ids. Commas and spaces separate patterns on the command line. */
export const budgetPattern = Type.String({
  pattern: "^([^\\s,]{1,64}#[^\\s,]{1,200}|[^\\s,]*\\*[^\\s,]*)$",
  maxLength: 300,
  expected: "a model id like OpenAI#gpt-5.4, or a pattern like OpenAI#* or *opus*",
});
