// Keys as the admin routes show them after a change: with the use of their limits, and warnings.
import type { Static } from "@sinclair/typebox";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Settings } from "../../core/settings.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { addLimits } from "../limits/limits.ts";
import type { AdminWorld } from "../world.ts";
import type { keyChangeSchema } from "./key-fields.ts";
import { addWarnings, warnOfMissing, warnOfModels, warnOfNoBound } from "./key-warnings.ts";
import type { KeyView } from "./keys.ts";

interface ShowParts extends Pick<AdminWorld, "store" | "clock"> {
  readonly ledger: Pick<Ledger, "limits" | "accountLimits">;
  readonly catalogue: () => Catalogue;
  readonly settings: () => Settings;
}

/** Returns a function that adds its limits and warnings to the view of a key. */
export function makeKeyShow(parts: ShowParts) {
  return async <Shown extends KeyView>(
    given: Pick<Static<typeof keyChangeSchema>, "allowed_models" | "hooks" | "guard">,
    shown: Shown,
  ) => {
    const view = await addLimits(parts, "key", shown);
    const settings = parts.settings();
    const models = warnOfModels(given.allowed_models, parts.catalogue());
    const warnings = [...models, ...warnOfMissing(given, settings)];
    return addWarnings(view, [...warnings, ...(await warnOfNoBound(parts, view.id, settings))]);
  };
}
