// The catalogue, for every place where a model is chosen.
import { type Listed, useResource } from "./resource.ts";
import type { ModelRow } from "./types.ts";

export const SELECTORS = [
  { id: "Router#best", what: "The best answer" },
  { id: "Router#fair", what: "A good answer at the least cost" },
  { id: "Router#light", what: "The soonest answer" },
] as const;

export interface Models {
  readonly all: readonly ModelRow[];
  readonly on: readonly ModelRow[];
  /** One that answers, for an example. */
  readonly sample: string;
  readonly find: (id: string) => ModelRow | undefined;
}

export function useModels(): Models {
  const all = useResource<Listed<ModelRow>>("/models").data?.data ?? [];
  const on = all.filter((model) => model.on);
  const isSimulated = on.length > 0 && on.every(({ provider }) => provider === "Sim");
  return {
    all,
    on,
    sample: isSimulated ? (on[0]?.id ?? "Router#fair") : "Router#fair",
    find: (id) => all.find((model) => model.id === id),
  };
}
