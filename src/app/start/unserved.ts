// Aliases made at run time whose models have left the configuration: the file's own are checked when it is loaded.
import { type Catalogue, splitId } from "../../catalogue/catalogue.ts";
import { type Alias, isPolicy } from "../../core/models/alias.ts";
import type { Settings } from "../../core/settings.ts";
import type { Log } from "../../core/world/world.ts";

export class UnservedAliases {
  readonly #log: Log;
  /** Those that the log has named. */
  #known: ReadonlySet<string> = new Set();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Warns once of each alias that leads to no model. `configured` has those of the file. */
  check(settings: Settings, configured: Settings, catalogue: Catalogue): void {
    const lost = Object.entries(settings.aliases).filter(
      ([name, target]) => !Object.hasOwn(configured.aliases, name) && !isServed(target, settings, catalogue),
    );
    for (const [name, target] of lost) {
      if (this.#known.has(name)) continue;
      this.#log({ event: "alias_unserved", level: "warn", name, models: listTargets(target) });
    }
    this.#known = new Set(lost.map(([name]) => name));
  }
}

function listTargets(target: Alias): readonly string[] {
  if (typeof target === "string") return [target];
  return isPolicy(target) ? [] : target.map(({ model }) => model);
}

/** A provider that lists its models itself may not have been asked yet. */
function isServed(target: Alias, { providers }: Settings, catalogue: Catalogue): boolean {
  const models = listTargets(target);
  return (
    models.length === 0 ||
    models.some((model) => {
      const provider = splitId(model)?.provider.toLowerCase();
      const setup = providers.find(({ name }) => name.toLowerCase() === provider);
      return setup?.discovers === true || catalogue.resolve(model).kind !== "unknown";
    })
  );
}
