// The store's address, from the command line, the file or the environment.

import type { Settings } from "../../core/settings.ts";
import { findAddressMistake } from "../../core/world/postgres-address.ts";
import type { Issues } from "../errors.ts";
import { storeUrl } from "../field-types.ts";
import { readField } from "../field-variable.ts";
import { type Environment, type Interpolation, resolveText } from "../interpolate.ts";
import { findPlaces } from "../places.ts";
import type { Config } from "../schema.ts";

const VARIABLE = "POUNDKEY_STORE";

interface StoreInput extends Environment, Pick<Interpolation, "sources"> {
  readonly overrides: {
    readonly store?: string | undefined;
    /** The address as a file has it, with `${…}`, instead of that file's present one. */
    readonly storeSource?: string | undefined;
  };
}

/** Returns the address, `NO_PLACE` if it has none, and its source if a variable or file holds a part of it. */
export function readStore(
  config: Config,
  { overrides, sources, ...environment }: StoreInput,
  issues: Issues,
): Pick<Settings, "store" | "storeSource"> {
  const inFile = overrides.store === undefined ? sources.get(JSON.stringify(["store"])) : undefined;
  const storeSource = overrides.storeSource ?? inFile;
  const again = overrides.storeSource === undefined ? null : resolveText(overrides.storeSource, environment);
  const given = again ?? overrides.store ?? config.store;
  const store =
    given ?? readField(VARIABLE, storeUrl, environment.env, issues) ?? findPlaces(environment.env).store;
  const mistake = store.startsWith("postgres") ? findAddressMistake(store) : null;
  if (mistake !== null && given === undefined) issues.atVariable(VARIABLE, mistake);
  else if (mistake !== null) issues.atValue(["store"], mistake);
  return { store, ...(storeSource === undefined ? {} : { storeSource }) };
}
