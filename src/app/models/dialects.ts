// Finds the dialects of a provider.

import type { ProviderSetup } from "../../core/settings.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { findDialect, findDialectAt, PROVIDERS } from "../../providers/index.ts";

/** Returns the dialect that the setup names, as its address is known to speak it, or else the provider's own dialects. */
export function chooseDialects(setup: ProviderSetup): readonly Dialect[] {
  const { dialect, baseUrl } = setup;
  if (dialect !== null) return [findDialectAt(dialect, baseUrl) ?? findDialect(dialect)];
  const row = PROVIDERS.find(({ name, platform }) =>
    setup.platform === undefined ? name === setup.name : platform === setup.platform,
  );
  return row?.dialects ?? [findDialect("openai")];
}
