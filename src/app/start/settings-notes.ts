// Logs what of the configuration will fail or bounds nobody, at the start and after each reload.
import type { Settings } from "../../core/settings.ts";
import type { Log } from "../../core/world/world.ts";
import { noteCatalogueFile } from "./catalogue-notes.ts";
import { noteEnds } from "./ending-notes.ts";
import { noteUnbounded } from "./unbounded-notes.ts";

export function noteSettings(settings: Settings, log: Log, nowMs: number): void {
  noteEnds(settings, log, nowMs);
  noteCatalogueFile(settings, log);
  void noteUnbounded(settings, log);
}
