// Logs the configuration's names that lead to models which end, at the start and after each reload.
import { explainEnd, listEndingNames } from "../../catalogue/ending-names.ts";
import type { Settings } from "../../core/settings.ts";
import type { Log } from "../../core/world/world.ts";

export function noteEnds(settings: Settings, log: Log, nowMs: number): void {
  for (const ending of listEndingNames(settings, nowMs)) {
    const { field, model, lastDay, isOver } = ending;
    const message = explainEnd(ending);
    log({ event: "model_ending", level: "warn", field, model, shutdown: lastDay, ended: isOver, message });
  }
}
