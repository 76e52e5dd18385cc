// The models that agents are given: those that are asked for, else the gateway's own choice.
import { suggest } from "../../core/text/nearest.ts";
import { UsageError } from "../arguments.ts";

const BEST = "Router#best";
const LIGHT = "Router#light";
const SIMULATED = "Sim#sim-mini";
/** The gateway's selectors, and the simulated provider of a quick start. */
const OWN = /^(Router|Sim)#/;
const NAMED_MAX = 5;

interface AskedModels {
  readonly model: string | undefined;
  readonly smallModel: string | undefined;
}

interface ChosenModels {
  readonly model: string;
  readonly smallModel: string;
}

/** Throws a UsageError for a model that isn't in the key's list, and if none can be chosen. */
export function chooseModels(listed: readonly string[], asked: AskedModels): ChosenModels {
  const ids = new Set(listed);
  const isReal = listed.some((id) => !OWN.test(id));
  const model = asked.model ?? chooseFirst([...(isReal ? [BEST] : []), SIMULATED], ids);
  if (model === undefined) throw new UsageError(describeChoice(listed));
  const smallModel = asked.smallModel ?? (isReal ? chooseFirst([LIGHT], ids) : undefined) ?? model;
  for (const [flag, id] of [
    ["--model", model],
    ["--small-model", smallModel],
  ] as const)
    if (!ids.has(id)) throw new UsageError(`${flag}: the key may use no model '${id}'${suggest(id, listed)}`);
  return { model, smallModel };
}

function chooseFirst(names: readonly string[], ids: ReadonlySet<string>): string | undefined {
  return names.find((name) => ids.has(name));
}

function describeChoice(listed: readonly string[]): string {
  const some = listed.slice(0, NAMED_MAX).join(", ");
  return some === "" ? "the key may use no model" : `choose a model with --model, such as ${some}`;
}
