// The catalogue, for every place where a model is chosen.

import type { Listed } from "../admin/list.ts";
import type { CardView } from "../admin/settings-schema.ts";
import { useResource } from "./resource.ts";

export const SELECTORS = [
  { id: "Router#best", what: "The best answer" },
  { id: "Router#fair", what: "A good answer at the least cost" },
  { id: "Router#light", what: "The soonest answer" },
] as const;

export interface Models {
  readonly all: readonly CardView[];
  readonly on: readonly CardView[];
  /** One that answers, for an example. */
  readonly sample: string;
  readonly find: (id: string) => CardView | undefined;
}

export function useModels(): Models {
  const all = useResource<Listed<CardView>>("/models").data?.data ?? [];
  const on = all.filter((model) => model.on);
  const isSimulated = on.length > 0 && on.every(({ provider }) => provider === "Sim");
  return {
    all,
    on,
    sample: isSimulated ? (on[0]?.id ?? "Router#fair") : "Router#fair",
    find: (id) => all.find((model) => model.id === id),
  };
}
