// Compares the catalogue with the list of prices that the operator named, regularly, and takes of it what may be taken.
import { statSync } from "node:fs";
import type { ComparedPrices } from "../../admin/models/price-review.ts";
import type { WatchedList } from "../../admin/models/watched-list.ts";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import type { LastList } from "../../core/money/taken-mark.ts";
import type { CatalogueWatch } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import { isListAddress } from "../../core/text/feed-address.ts";
import type { Clock, Log, Random } from "../../core/world/world.ts";
import type { SharedLook } from "../workers/worker.ts";
import { type ListPorts, nameSignature, type ObtainedList, obtainList } from "./feed-fetch.ts";
import {
  checkFollows,
  checkNumbered,
  compareObtained,
  type LookSettings,
  rememberList,
  type SeenList,
} from "./list-look.ts";
import { describeLook, describeRefusal, makeTakenEntry, makeWaitingEvent } from "./list-report.ts";
import { takeList } from "./list-take.ts";
import { findNextLook } from "./list-times.ts";
import { shareSerial } from "./shared-serial.ts";

/** A mirror may have the new list and the old signature for a while. */
const AGAIN_MS = 60_000;
const BYTE_MAX = 255;

/** The processes of a node of which one looks. */
export interface LookTeam {
  /** True for the one that looks. */
  readonly isFirst: boolean;
  /** Hands what it found to the others. */
  readonly share: (look: SharedLook) => void;
}

interface PriceWatchParts extends ListPorts {
  readonly settings: () => LookSettings;
  readonly store: Pick<Store, "addEvents" | "webhooks"> & {
    readonly auditLog: Pick<Store["auditLog"], "add">;
  };
  readonly log: Log;
  readonly clock: Pick<Clock, "nowMs">;
  readonly random: Random;
  /** Missing if the node has one process. */
  readonly team?: LookTeam;
}

export class PriceWatch {
  readonly #parts: PriceWatchParts;
  /** The changes that could be taken, at once or by a person. Null until a list was compared. */
  waiting: number | null = null;
  /** The last comparison. Null until there was one. */
  last: ComparedPrices | null = null;
  /** The last look. Null until there was one. */
  list: WatchedList | null = null;
  #nextMs = 0;
  /** The watch and the models of the last comparison. A reload may replace them. */
  #said: string | undefined;
  #models: LookSettings["newerModels"];
  #overlay: LookSettings["overlay"] = [];
  /** Changes with the files of a list that is a path. */
  #stamp: string | null = null;
  /** True if the last look was the second one for a signature. */
  #isAgain = false;
  /** The last list since the start. */
  #passed: LastList | undefined;
  /** The highest serial of another node that has led to a look. */
  #urged = 0;

  constructor(parts: PriceWatchParts) {
    this.#parts = parts;
  }

  /** Looks at the list if it is time, if the configuration or the list's file has changed, or if another node has a newer one. */
  async refresh(): Promise<void> {
    const { settings, team } = this.#parts;
    const { catalogueWatch: watch, newerModels, overlay } = settings();
    const said = JSON.stringify(watch);
    if (said !== this.#said) this.#forget();
    const isNew = said !== this.#said || newerModels !== this.#models || overlay !== this.#overlay;
    this.#said = said;
    this.#models = newerModels;
    this.#overlay = overlay;
    if (watch === undefined || team?.isFirst === false) return;
    const isDue = this.#isDue(watch);
    if (isNew || isDue || (await this.#isUrged(watch))) await this.#look(watch);
  }

  /** Compares what the first process of the node has found. */
  async follow({ from, atMs, ...obtained }: SharedLook): Promise<void> {
    const { settings } = this.#parts;
    const { catalogueWatch: watch } = settings();
    if (watch === undefined || watch.from !== from) return;
    try {
      this.#keep(await compareObtained(watch, obtained, settings(), atMs));
    } catch (error) {
      // The first process says why.
      if (!(error instanceof FeedError)) throw error;
    }
  }

  /** True if it is time, or if a file has changed. */
  #isDue({ from }: CatalogueWatch): boolean {
    const stamp = isListAddress(from) ? null : [from, nameSignature(from)].map(stampFile).join(" ");
    const isChanged = stamp !== this.#stamp;
    this.#stamp = stamp;
    return isChanged || this.#parts.clock.nowMs() >= this.#nextMs;
  }

  /** True if another node has seen a higher serial. Each leads to one look, however many nodes have seen it. */
  async #isUrged({ format }: CatalogueWatch): Promise<boolean> {
    if (format !== "poundkey" || this.list === null) return false;
    const highest = (await shareSerial(this.#parts.store, null)) ?? 0;
    if (highest <= Math.max(this.list.serial ?? 0, this.#urged)) return false;
    this.#urged = highest;
    return true;
  }

  /** The last comparison still counts if the list can't be used. */
  async #look(watch: CatalogueWatch): Promise<void> {
    const { settings, clock, log, random } = this.#parts;
    const atMs = clock.nowMs();
    const [byte = 0] = random.bytes(1);
    this.#nextMs = findNextLook(watch.from, watch.everyMs, atMs, byte / BYTE_MAX);
    try {
      const obtained = await obtainList(watch.from, watch.keys ?? [], this.#parts);
      const seen = await compareObtained(watch, obtained, settings(), atMs);
      checkNumbered(seen, watch);
      checkFollows(seen, settings(), { remembered: this.#passed });
      this.#isAgain = false;
      await this.#use(watch, seen, obtained);
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      this.#refuse(watch, error, atMs);
      log(describeRefusal(watch, error));
    }
  }

  async #use(watch: CatalogueWatch, seen: SeenList, obtained: ObtainedList): Promise<void> {
    const { settings, store, log, team, clock, random } = this.#parts;
    const { list, sha256, atMs } = seen;
    const accepted = await takeList(watch, seen, settings());
    this.#keep(seen);
    if (list !== null) this.#passed = rememberList(list, sha256);
    log(describeLook(seen));
    team?.share({ ...obtained, from: watch.from, atMs });
    if (accepted.length > 0) await store.auditLog.add([makeTakenEntry({ clock, random }, seen, accepted)]);
    const enabled = new Set(settings().providers.map(({ name }) => name));
    const event = makeWaitingEvent(seen, enabled, watch.take);
    if (event !== null) await store.addEvents([event]);
    if (list !== null) await shareSerial(store, list.serial);
  }

  #keep(seen: SeenList): void {
    const { counts, list, asOf, key, atMs } = seen;
    this.last = seen;
    this.waiting = counts.changes;
    const { serial = null, source = null } = list ?? {};
    this.list = { serial, asOf, source, key, fetchedAtMs: atMs, refused: null };
  }

  #refuse({ from }: CatalogueWatch, { why }: FeedError, atMs: number): void {
    this.list = { ...(this.list ?? UNSEEN), fetchedAtMs: atMs, refused: why };
    const again = why === "signature" && isListAddress(from) && !this.#isAgain;
    this.#isAgain = again;
    if (again) this.#nextMs = atMs + AGAIN_MS;
  }

  #forget(): void {
    this.waiting = null;
    this.last = null;
    this.list = null;
    this.#passed = undefined;
    this.#isAgain = false;
    this.#urged = 0;
  }
}

const UNSEEN = { serial: null, asOf: null, source: null, key: null };

function stampFile(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}
