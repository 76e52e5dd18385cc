// The state of the catalogue file for operators: its overtaken fields, the newer prices that it hides, and the age of prices.
import { readProvider } from "../../core/models/card.ts";
import type { Hiding, LastList, Overtaken } from "../../core/money/taken-mark.ts";
import type { Settings } from "../../core/settings.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import { measureAge, SHIPPED_DAY } from "../feeds/as-of.ts";

interface FileDays {
  readonly catalogueAsOf?: string;
  readonly catalogueList?: Pick<LastList, "asOf">;
}

type StandingSettings = FileDays &
  Pick<
    Settings,
    "providers" | "overlay" | "operatorModels" | "catalogueWatch" | "catalogueOvertaken" | "catalogueHiding"
  >;

/** Returns the day of the prices: that of the last list that was gone through, or of the built-in rows if that is later. */
export function findPriceDay({ catalogueList, catalogueAsOf }: FileDays): string {
  // Files of versions that remembered no list have the day of the last update as their own.
  const ofFile = catalogueList?.asOf ?? catalogueAsOf;
  return ofFile !== undefined && ofFile > SHIPPED_DAY ? ofFile : SHIPPED_DAY;
}

/** A row that hides a newer price, and whether somebody should look at it. */
interface ToldHiding extends Hiding {
  /** False for models of providers that aren't enabled, for ignored ones, and for rows that are marked as meant. */
  readonly isPressing: boolean;
}

export interface CatalogueStanding {
  /** The day of the prices. */
  readonly asOf: string;
  readonly overtaken: readonly Overtaken[];
  readonly hiding: readonly ToldHiding[];
}

export function readStanding(settings: StandingSettings): CatalogueStanding {
  const { catalogueOvertaken: overtaken = [], catalogueHiding: hiding = [] } = settings;
  const asOf = findPriceDay(settings);
  return { asOf, overtaken, hiding: hiding.length === 0 ? [] : listInUse(hiding, settings) };
}

/** Where the configuration states the price, the file hides nothing. */
function listInUse(
  hiding: readonly Hiding[],
  { overlay, operatorModels, providers, catalogueWatch }: StandingSettings,
): readonly ToldHiding[] {
  const priced = overlay.flatMap(({ id, price }) => (price === undefined ? [] : [id]));
  const stated = new Set([...priced, ...operatorModels.map(({ id }) => id)]);
  const enabled = new Set(providers.map(({ name }) => name));
  const ignored = catalogueWatch?.ignore ?? [];
  return hiding.flatMap((one): readonly ToldHiding[] => {
    if (stated.has(one.id)) return [];
    const isPressing = !one.isMeant && enabled.has(readProvider(one.id)) && !matchesAny(ignored, one.id);
    return [{ ...one, isPressing }];
  });
}

/** Returns the age of the prices in seconds: that of the oldest row that hides a newer price, if it is the greater one. */
export function measurePriceAge({ asOf, hiding }: CatalogueStanding, nowMs: number): number {
  const days = hiding.flatMap((one) => (one.isPressing ? [one.asOf] : []));
  return Math.max(...[asOf, ...days].map((day) => measureAge(day, nowMs)));
}

/** A sentence for each model, of at most this many of each kind, and one on the others. */
const TOLD_MAX = 20;

export function explainStanding({ overtaken, hiding }: CatalogueStanding): readonly string[] {
  return [...tell(overtaken, explainOvertaken), ...tell(hiding, explainHiding)];
}

function tell<One>(all: readonly One[], explain: (one: One) => string): readonly string[] {
  const more = all.length - TOLD_MAX;
  return [...all.slice(0, TOLD_MAX).map(explain), ...(more > 0 ? [`and ${more} models more`] : [])];
}

function explainOvertaken({ id, fields }: Overtaken): string {
  return `${id}: the built-in ${fields.join(", ")} of ${SHIPPED_DAY} counts, since it has changed after the file's was taken; the next catalogue update --apply, or catalogue rebase --apply, removes the file's`;
}

function explainHiding({ id, fields, asOf }: Hiding): string {
  return `${id}: the file's ${fields.join(", ")} of ${asOf} hides the newer built-in one of ${SHIPPED_DAY}; remove the row, or mark it with "own": true if it is meant`;
}
