// Logs what there is to tell of the catalogue file, at the start and after each reload.
import { readStanding } from "../../catalogue/file/standing.ts";
import type { Settings } from "../../core/settings.ts";
import type { Log } from "../../core/world/world.ts";

/** The models that have a line of their own. */
const TOLD_MAX = 100;

export function noteCatalogueFile(settings: Settings, log: Log): void {
  if (settings.catalogueFile === undefined) return;
  const { overtaken, hiding } = readStanding(settings);
  tell("catalogue_overtaken", overtaken, log);
  tell(
    "catalogue_hiding",
    hiding.map(({ id, fields, asOf }) => ({ id, fields, as_of: asOf })),
    log,
  );
}

/** The last line says how many models have none. */
function tell(event: string, models: readonly object[], log: Log): void {
  for (const model of models.slice(0, TOLD_MAX)) log({ event, level: "warn", ...model });
  if (models.length > TOLD_MAX) log({ event, level: "warn", more: models.length - TOLD_MAX });
}
