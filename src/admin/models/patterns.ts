// Models, patterns of them and aliases in requests: their schemas, and the entries that lists keep of them.
import { Type } from "@sinclair/typebox";
import { invalidValue } from "../../core/json/schema-fault.ts";
import {
  type AliasNames,
  canBeAliasName,
  writeAliasEntry,
  writeCountedAlias,
} from "../../core/models/alias-entry.ts";

const PATTERN = /^(\*|[A-Za-z0-9*][A-Za-z0-9*._-]{0,63}#[^\s#]{1,200})$/;
const BUDGET_PATTERN = /^([^\s,]{1,64}#[^\s,]{1,200}|[^\s,]*\*[^\s,]*)$/;

/** A model or selector, or a pattern of them. */
export const pattern = Type.String({
  pattern: PATTERN.source,
  expected: "a model id like OpenAI#gpt-5.4 or Router#fair, or a pattern like OpenAI#*",
});

const EXPECTED = "a model id like OpenAI#gpt-5.4, a pattern like OpenAI#*, or the exact name of an alias";

/** A model, a pattern or an alias: which of them is known once the aliases are. Spaces would separate two budgets' names. */
export const modelOrAlias = Type.String({ pattern: "^[^\\s]{1,300}$", expected: EXPECTED });

/**
 * Returns a key's list of models, with entries for the aliases that it names. Throws the Fault of a text that is neither a
 * model's, nor a pattern, nor the name of an alias.
 */
export function readAllowedModels(
  given: readonly string[] | null,
  name: string,
  aliases: AliasNames,
): readonly string[] | null {
  return given && readEntries(given, { name, shape: PATTERN, aliases, write: writeAliasEntry });
}

/** The same for a budget, which may name models by any part of their ids. */
export function readBudgetModels(
  given: readonly string[] | null | undefined,
  name: string,
  aliases: AliasNames,
): readonly string[] | null {
  return given
    ? readEntries(given, { name, shape: BUDGET_PATTERN, aliases, write: writeCountedAlias })
    : null;
}

interface EntryReading {
  readonly name: string;
  readonly shape: RegExp;
  readonly aliases: AliasNames;
  readonly write: (alias: string, madeAtMs: number) => string;
}

function readEntries(
  given: readonly string[],
  { name, shape, aliases, write }: EntryReading,
): readonly string[] {
  return given.map((text, at) => {
    const madeAtMs = canBeAliasName(text) ? aliases.find(text) : null;
    if (madeAtMs !== null) return write(text, madeAtMs);
    if (shape.test(text)) return text;
    throw invalidValue(`${name}[${at}]`, `expected ${EXPECTED}`);
  });
}
