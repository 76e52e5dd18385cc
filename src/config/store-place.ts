// The store's address, from the command line, the file or the environment.
import { findAddressMistake } from "../core/postgres-address.ts";
import type { Settings } from "../core/settings.ts";
import type { Issues } from "./errors.ts";
import { storeUrl } from "./field-types.ts";
import { readField } from "./field-variable.ts";
import { type Interpolated, resolveText } from "./interpolate.ts";
import type { LoadInput } from "./load.ts";
import type { Config } from "./schema.ts";

const VARIABLE = "POUNDKEY_STORE";
const DEFAULT_STORE = "sqlite:./.poundkey/poundkey.db";

export function readStore(
  config: Config,
  { overrides, sources, ...environment }: LoadInput & Pick<Interpolated, "sources">,
  issues: Issues,
): Pick<Settings, "store" | "storeSource"> {
  const inFile = overrides.store === undefined ? sources.get(JSON.stringify(["store"])) : undefined;
  const storeSource = overrides.storeSource ?? inFile;
  const again = overrides.storeSource === undefined ? null : resolveText(overrides.storeSource, environment);
  const given = again ?? overrides.store ?? config.store;
  const store = given ?? readField(VARIABLE, storeUrl, environment.env, issues) ?? DEFAULT_STORE;
  const mistake = store.startsWith("postgres") ? findAddressMistake(store) : null;
  if (mistake !== null && given === undefined) issues.atVariable(VARIABLE, mistake);
  else if (mistake !== null) issues.atValue(["store"], mistake);
  return { store, ...(storeSource === undefined ? {} : { storeSource }) };
}
