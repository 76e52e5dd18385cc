// Logs what of the configuration will fail or bounds nobody, at the start and after each reload.
import type { Settings } from "../../core/settings.ts";
import type { Log } from "../../core/world/world.ts";
import { noteEnds } from "./ending-notes.ts";
import { noteUnbounded } from "./unbounded-notes.ts";

export function noteSettings(settings: Settings, log: Log, nowMs: number): void {
  noteEnds(settings, log, nowMs);
  void noteUnbounded(settings, log);
}
