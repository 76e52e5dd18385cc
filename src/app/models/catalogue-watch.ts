// Compares the catalogue with the list of prices that the operator named, regularly, and changes nothing.
import type { ComparedPrices } from "../../admin/models/price-review.ts";
import type { WatchedList } from "../../admin/models/watched-list.ts";
import { collectCards } from "../../catalogue/catalogue.ts";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import type { CatalogueWatch, Settings } from "../../core/settings.ts";
import type { Clock, Fetch, Log, Random } from "../../core/world/world.ts";
import { readBytes } from "../start/configuration.ts";
import { compareApart } from "./catalogue-apart.ts";
import { readBasis } from "./catalogue-update.ts";
import { obtainList } from "./feed-fetch.ts";

/** A share of the period by which nodes look earlier or later, so that they don't ask all at once. */
const SPREAD = 0.1;
const BYTE_MAX = 255;

interface PriceWatchParts {
  readonly settings: () => Pick<
    Settings,
    "catalogueWatch" | "newerModels" | "overlay" | "ownModels" | "aliases" | "providers"
  >;
  readonly fetch: Fetch;
  readonly log: Log;
  readonly clock: Pick<Clock, "nowMs">;
  readonly random: Random;
}

export class PriceWatch {
  readonly #parts: PriceWatchParts;
  /** The changes for enabled providers that could be taken, at once or by a person. Null until a list was compared. */
  waiting: number | null = null;
  /** The last comparison. Null until there was one. */
  last: ComparedPrices | null = null;
  /** What is known of the list. */
  list: WatchedList | null = null;
  #nextMs = 0;
  /** The list and the models that were compared last. A reload replaces both. */
  #watch: CatalogueWatch | undefined;
  #models: Settings["newerModels"];

  constructor(parts: PriceWatchParts) {
    this.#parts = parts;
  }

  /** Looks at the list if it is time, or if the configuration has changed. */
  async refresh(): Promise<void> {
    const { settings, clock } = this.#parts;
    const { catalogueWatch: watch, newerModels } = settings();
    const isNew = watch !== this.#watch || newerModels !== this.#models;
    this.#watch = watch;
    this.#models = newerModels;
    if (watch === undefined) this.#forget();
    if (watch === undefined || (!isNew && clock.nowMs() < this.#nextMs)) return;
    this.#nextMs = clock.nowMs() + watch.everyMs * this.#spread();
    await this.#compare(watch);
  }

  /** The last comparison still counts if the list can't be had. */
  async #compare({ from, format, keys = [] }: CatalogueWatch): Promise<void> {
    const { settings, fetch, log, clock } = this.#parts;
    try {
      const { text, sha256, key } = await obtainList(from, keys, { fetch, readFile: readBytes });
      const { newerModels = [], providers } = settings();
      const nowMs = clock.nowMs();
      const enabled = new Set(providers.map(({ name }) => name));
      const asked = { text, format, basis: readBasis(settings()), enabled, nowMs };
      const { counts, proposals, list, asOf } = await compareApart(asked);
      this.last = {
        atMs: nowMs,
        format,
        proposals,
        known: collectCards([], newerModels),
        list,
        asOf,
        sha256,
      };
      const { serial = null, source = null } = list ?? {};
      this.list = { serial, asOf, source, key, fetchedAtMs: nowMs, refused: null };
      this.waiting = counts.changes;
      log({ event: "catalogue_compared", format, ...counts });
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      log({ event: "catalogue_refused", level: "warn", format, cause: error.message });
    }
  }

  #forget(): void {
    this.waiting = null;
    this.last = null;
  }

  #spread(): number {
    const [byte = 0] = this.#parts.random.bytes(1);
    return 1 + SPREAD * ((2 * byte) / BYTE_MAX - 1);
  }
}
