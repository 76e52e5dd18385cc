// The code that speaks to a provider.

import type { ProviderSetup } from "../core/settings.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { findDialect, PROVIDERS } from "../providers/index.ts";

/** The dialect that its setup names, else its own. */
export function dialectOf(setup: ProviderSetup): Dialect {
  if (setup.dialect !== null) return findDialect(setup.dialect);
  return PROVIDERS.find(({ name }) => name === setup.name)?.dialect ?? findDialect("openai");
}
