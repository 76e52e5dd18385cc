// Finds the dialect of a provider.

import type { ProviderSetup } from "../core/settings.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { findDialect, PROVIDERS } from "../providers/index.ts";

/** Returns the dialect that the setup names, or else the provider's own. */
export function chooseDialect(setup: ProviderSetup): Dialect {
  if (setup.dialect !== null) return findDialect(setup.dialect);
  return PROVIDERS.find(({ name }) => name === setup.name)?.dialect ?? findDialect("openai");
}
