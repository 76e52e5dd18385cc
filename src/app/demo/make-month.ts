// Makes a demo's store: the company's month, by the gateway itself under a moved clock.
import { join } from "node:path";
import { openStore } from "../start/open-store.ts";
import { replaceWorld } from "../world.ts";
import { makeDemoSettings } from "./demo-settings.ts";
import { foundCompany } from "./found.ts";
import { Maker } from "./maker.ts";
import { createMovedClock, createSeededRandom } from "./moved-world.ts";
import { HOUR_MS, playHour } from "./traffic.ts";

export const DAY_MS = 24 * HOUR_MS;

export interface MonthRules {
  readonly folder: string;
  readonly seed: number;
  readonly days: number;
  /** The moment at which the month ends. */
  readonly endMs: number;
}

export async function makeMonth({ folder, seed, days, endMs }: MonthRules): Promise<void> {
  const startMs = Math.floor((endMs - days * DAY_MS) / DAY_MS) * DAY_MS;
  const clock = createMovedClock(startMs);
  const restore = replaceWorld({ clock, random: createSeededRandom(seed) });
  try {
    const rules = { database: join(folder, "poundkey.db"), publicUrl: "http://127.0.0.1:8080", lines: 4, keepsContent: false };
    const settings = makeDemoSettings(rules);
    const opened = await openStore(settings.store, undefined);
    const maker = await Maker.start(clock, seed, settings, opened);
    const company = await foundCompany(maker);
    for (let atMs = startMs + 8 * HOUR_MS; atMs < endMs; atMs += HOUR_MS) await playHour(maker, company, atMs, endMs);
    await clock.moveTo(endMs);
    restore();
    await maker.gateway.running.stop();
  } finally {
    restore();
  }
}
