// Keys as the admin routes show them after a change: with the use of their limits, and warnings.
import type { Static } from "@sinclair/typebox";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Settings } from "../../core/settings.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { limitView } from "../limits/limits.ts";
import type { AdminWorld } from "../world.ts";
import type { keyChangeSchema } from "./key-fields.ts";
import { addWarnings, findPaidKey, warnOfMissing, warnOfModels, warnOfNoBound } from "./key-warnings.ts";
import type { KeyView } from "./keys.ts";

interface ShowParts extends Pick<AdminWorld, "store" | "clock"> {
  readonly ledger: Pick<Ledger, "limits">;
  readonly catalogue: () => Catalogue;
  readonly settings: () => Settings;
}

/** Returns a function that adds its limits and warnings to the view of a key. */
export function makeKeyShow(parts: ShowParts) {
  return async <Shown extends KeyView>(
    given: Pick<Static<typeof keyChangeSchema>, "allowed_models" | "hooks" | "guard">,
    shown: Shown,
  ) => {
    const paid = await findPaidKey(parts.store, shown.id);
    const limits = paid === null ? [] : await parts.ledger.limits(paid.key, paid.account);
    const settings = parts.settings();
    const models = given.allowed_models;
    const warnings = [
      ...(models ? warnOfModels(models, parts.catalogue()) : []),
      ...warnOfMissing(given, settings),
      ...(paid === null ? [] : warnOfNoBound(paid, settings, parts.clock.nowMs())),
    ];
    return addWarnings({ ...shown, limits: limits.map(limitView) }, warnings);
  };
}
