// Models that were charged at the price of their family before a card had them, and what they would be charged by now.
import { Type } from "@sinclair/typebox";
import { type FamilyUse, listFamilyUse } from "../../catalogue/price-book.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import { readRelative } from "../../core/models/card.ts";
import { toUsd } from "../../core/money/money.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { computeMonth, findStatementMonth } from "../../ledger/money/month.ts";
import type { ListPage } from "../list.ts";
import { type KnownPrices, rerateRow } from "../money/rerate.ts";
import { OPEN_AFTER_MS } from "../money/statements.ts";
import { text, usd, type View } from "../schema.ts";

const HOUR_MS = 3_600_000;
/** The requests that are looked at of each model, the newest first. */
const ROWS_MAX = 5000;
/** Each open console asks. The rows of a month aren't read for each of them. */
const KEPT_MS = 300_000;

export const familyPricedSchema = Type.Object({
  model: text,
  like: Type.String({ description: "The model whose price it was charged at." }),
  requests: Type.Integer({ minimum: 0, description: "Charged in an open month, at most 5,000." }),
  charged_usd: usd,
  would_charge_usd: Type.Number({ description: "USD, by the price that is known by now." }),
  months: Type.Array(text, { description: "Those to price again by `poundkey ledger rerate --month`." }),
});
export type FamilyPricedView = View<typeof familyPricedSchema>;

interface FamilyPricedParts {
  readonly store: Pick<Store, "requests" | "setting">;
  readonly clock: Pick<Clock, "nowMs">;
  /** True for a model that has a card by now. */
  readonly isKnown: (model: string) => boolean;
  readonly prices: () => KnownPrices;
  readonly timeZone: () => string;
}

export class FamilyPriced {
  readonly #parts: FamilyPricedParts;
  #kept: {
    readonly untilMs: number;
    readonly found: ListPage<FamilyPricedView>;
    readonly of: string;
  } | null = null;

  constructor(parts: FamilyPricedParts) {
    this.#parts = parts;
  }

  /** Lists the models that have a card by now, with their requests that `ledger rerate` would price again. */
  async list(): Promise<ListPage<FamilyPricedView>> {
    const { store, clock, isKnown } = this.#parts;
    const known = listFamilyUse(await store.setting("price_history")).filter(({ model }) => isKnown(model));
    const of = JSON.stringify(known);
    const kept = this.#kept;
    if (kept !== null && kept.of === of && clock.nowMs() < kept.untilMs) return kept.found;
    const views: FamilyPricedView[] = [];
    for (const use of known) views.push(await this.#review(use));
    const found = { data: views.filter(({ requests }) => requests > 0), next: null };
    this.#kept = { untilMs: clock.nowMs() + KEPT_MS, found, of };
    return found;
  }

  async #review({ model, like, sinceMs, reratedMonths }: FamilyUse): Promise<FamilyPricedView> {
    const { store, clock, prices, timeZone } = this.#parts;
    const zone = timeZone();
    const known = prices();
    const fromMs = Math.max(findOpenMs(clock.nowMs(), zone), sinceMs - HOUR_MS);
    const rows = await store.requests({ model, fromMs }, { limit: ROWS_MAX, after: null });
    const repriced = rows.filter(isCharged).flatMap((row) => {
      const would = rerateRow(row, known);
      const month = computeMonth(row.atMs, zone);
      return would === null || reratedMonths.includes(month) ? [] : [{ row, would, month }];
    });
    return {
      model,
      like,
      requests: repriced.length,
      charged_usd: toUsd(repriced.reduce((sum, { row }) => sum + row.chargedNanoUsd, 0)),
      would_charge_usd: toUsd(repriced.reduce((sum, { would }) => sum + would, 0)),
      months: [...new Set(repriced.map(({ month }) => month))].toSorted(),
    };
  }
}

function isCharged({ chargedNanoUsd, modelPlanned }: RequestRecord): boolean {
  return chargedNanoUsd > 0 && readRelative(modelPlanned ?? "") !== null;
}

/** Returns the start of the oldest month whose statement isn't closed. */
function findOpenMs(nowMs: number, zone: string): number {
  return findStatementMonth(computeMonth(nowMs - OPEN_AFTER_MS, zone), zone).fromMs;
}
