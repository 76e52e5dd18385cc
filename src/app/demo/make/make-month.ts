// Makes a demo's store: the company's month, by the gateway itself under a moved clock.
import { join } from "node:path";
import { openDraftStore } from "../../start/open-store.ts";
import { replaceWorld } from "../../world.ts";
import { makeDemoSettings } from "../demo-settings.ts";
import { foundCompany } from "./found.ts";
import { Maker } from "./maker.ts";
import { createMovedClock, createSeededRandom } from "./moved-world.ts";
import { findSpan, HOUR_MS } from "./span.ts";
import { Story } from "./story.ts";
import { playHour } from "./traffic.ts";

export const DATABASE = "poundkey.db";
/** The regular tasks run this often. Each hour, they would cost as much as the requests. */
const TASKS_HOURS = 12;
const FIRST_HOUR = 6;
const DAY_HOURS = 24;

interface MonthRules {
  /** An empty folder for the store. */
  readonly folder: string;
  readonly seed: number;
  readonly days: number;
  /** The moment at which the month ends. */
  readonly endMs: number;
  /** Called with the number of days that are made, after each. */
  readonly onDay?: ((day: number) => void) | undefined;
}

export interface MadeMonth {
  /** The ids of the company's people by their names. */
  readonly people: ReadonlyMap<string, string>;
  /** The time of the last call of each provider that was called. */
  readonly called: ReadonlyMap<string, number>;
}

export async function makeMonth({ folder, seed, days, endMs, onDay }: MonthRules): Promise<MadeMonth> {
  const span = findSpan(days, endMs);
  const clock = createMovedClock(span.startMs);
  const restore = replaceWorld({ clock, random: createSeededRandom(seed) });
  try {
    const rules = { publicUrl: "http://127.0.0.1", lines: 1, keepsContent: false };
    const database = join(folder, DATABASE);
    const settings = makeDemoSettings({ ...rules, database });
    const opened = await openDraftStore(database);
    const maker = await Maker.start(clock, seed, settings, opened);
    await clock.moveTo(span.startMs + FIRST_HOUR * HOUR_MS);
    const company = await foundCompany(maker);
    const story = new Story({ maker, company, span });
    for (let atMs = span.startMs + (FIRST_HOUR + 1) * HOUR_MS; atMs < endMs; atMs += HOUR_MS) {
      if ((atMs / HOUR_MS) % TASKS_HOURS === 0) await clock.moveTo(atMs);
      await story.tell();
      await playHour(maker, company, atMs, endMs);
      const hours = (atMs - span.startMs) / HOUR_MS;
      if (hours % DAY_HOURS === 0) onDay?.(hours / DAY_HOURS);
    }
    await clock.moveTo(endMs);
    await story.tell();
    await maker.signOutAll();
    const called = await maker.listCalls();
    restore();
    await maker.gateway.running.stop();
    return { people: maker.people, called };
  } finally {
    restore();
  }
}
