// Finds the dialects of a provider, and the fields that it documents.

import type { ProviderSetup } from "../../core/settings.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { DocumentedFields } from "../../gateway/plan/upstream.ts";
import { COMPATIBLE_FIELDS } from "../../providers/compatible.ts";
import { findDialect, findDialectAt, PROVIDERS } from "../../providers/index.ts";
import type { ProviderRow } from "../../providers/provider.ts";

/** Returns the dialect that the setup names, as its address is known to speak it, or else the provider's own dialects. */
export function chooseDialects(setup: ProviderSetup): readonly Dialect[] {
  const { dialect, baseUrl } = setup;
  if (dialect !== null) return [findDialectAt(dialect, baseUrl) ?? findDialect(dialect)];
  return findRow(setup)?.dialects ?? [findDialect("openai")];
}

function findRow(setup: ProviderSetup): ProviderRow | undefined {
  return PROVIDERS.find(({ name, platform }) =>
    setup.platform === undefined ? name === setup.name : platform === setup.platform,
  );
}

/** True if the provider takes Anthropic's cache marks in a dialect that has none. */
export function takesMarks(setup: ProviderSetup): boolean {
  return setup.dialect === null && findRow(setup)?.takesMarks === true;
}

/** Returns the fields that the provider's own row has. A server of which only the dialect is known documents none. */
export function findDocumented(setup: ProviderSetup): DocumentedFields {
  const { extraFields = {} } = (setup.dialect === null && findRow(setup)) || {};
  return { ...extraFields };
}

/** The fields that any provider's row has, enabled here or not. */
export const DOCUMENTED_FIELDS: ReadonlySet<string> = new Set(
  [COMPATIBLE_FIELDS, ...PROVIDERS.map(({ extraFields }) => extraFields)].flatMap((fields) =>
    Object.values({ ...fields }).flat(),
  ),
);
