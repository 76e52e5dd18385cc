// The state of the selectors: which model is the best overall.
import type { StateReport } from "./state-events.ts";

/** `model` is null while it isn't known. The first one is no news: it only becomes what later ones differ from. */
export function listBestStates(model: string | null): readonly StateReport[] {
  if (model === null) return [];
  return [
    {
      subject: "router best",
      state: model,
      type: "router.best_changed",
      isNews: false,
      describe: (before) => ({ name: model, model, before }),
    },
  ];
}
