// `poundkey models`: prints the catalogue as a table.
import { type ConfigSource, formatErrors, loadConfig } from "../app/configuration.ts";
import { EXIT, type Io } from "../app/terminal.ts";
import { clock } from "../app/world.ts";
import { buildCatalogue, type ModelView, modelView } from "../catalogue/catalogue.ts";
import { OPERATIONS } from "../core/card.ts";
import { nearest } from "../core/nearest.ts";
import type { Settings } from "../core/settings.ts";
import { formatTable } from "./administration.ts";
import { COMMON_FLAGS, parseArguments, readConfigurationFlags, reportMisuse } from "./arguments.ts";

const HELP = `Usage: poundkey models [--provider NAME] [--operation NAME] [--config FILE] [--json]

Prints the catalogue, the configuration's own models and changes included.

  --provider NAME   only this provider's
  --operation NAME  only those that serve it: ${OPERATIONS.join(", ")}
  --config FILE     the configuration file (default: poundkey.yaml, if there is one)
  --json            print JSON
  --help            print this`;

/** Returns the exit code: 0 if the models were printed, 1 for an invalid configuration, 2 for wrong usage. */
export async function runModels(args: readonly string[], io: Io, source: ConfigSource): Promise<number> {
  const parsed = parseArguments(args, { ...COMMON_FLAGS, provider: "value", operation: "value" }, 0);
  if (!parsed.ok) return reportMisuse("models", parsed.message, io);
  const { switches, values } = parsed.arguments;
  if (switches.has("help")) {
    io.out(HELP);
    return EXIT.done;
  }
  const { loaded } = loadConfig(readConfigurationFlags(parsed.arguments), source);
  if (!loaded.ok) {
    io.err(formatErrors(loaded.errors));
    return EXIT.failed;
  }
  const names = listProviders(loaded.settings, source);
  const asked = values.get("provider");
  const chosen =
    asked === undefined ? names : names.filter((name) => name.toLowerCase() === asked.toLowerCase());
  if (chosen.length === 0) {
    return reportMisuse("models", `there is no provider ${asked}${suggest(asked, names)}`, io);
  }
  const operation = values.get("operation");
  if (operation !== undefined && !OPERATIONS.some((name) => name === operation)) {
    const near = suggest(operation, OPERATIONS) || `; expected ${OPERATIONS.join(", ")}`;
    return reportMisuse("models", `there is no operation ${operation}${near}`, io);
  }
  const views = listModels(loaded.settings, chosen).filter(
    ({ operations }) => operation === undefined || operations === null || operations.includes(operation),
  );
  io.out(
    switches.has("json")
      ? JSON.stringify(views, null, 2)
      : formatTable([HEADINGS, ...views.map(formatCells)]),
  );
  return EXIT.done;
}

function suggest(name = "", names: readonly string[]): string {
  const [near] = nearest(name, names, 1);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** Lists all known providers, on or off, because a catalogue is read before keys are bought. */
function listProviders(settings: Settings, { known }: ConfigSource): readonly string[] {
  return [...new Set([...known, ...settings.providers].map((provider) => provider.name))];
}

function listModels(settings: Settings, names: readonly string[]): readonly ModelView[] {
  const providers = names.map((name) => ({ name, unlistedModels: false }));
  return buildCatalogue({ ...settings, providers, nowMs: clock.nowMs() })
    .list()
    .map(modelView);
}

const HEADINGS = ["MODEL", "CONTEXT", "OUTPUT", "IN $/M", "OUT $/M", "CAPABILITIES"] as const;

function formatCells(view: ModelView): readonly string[] {
  const unknown = (value: number | null | undefined) =>
    value === null || value === undefined ? "-" : String(value);
  return [
    view.id,
    unknown(view.context_window),
    unknown(view.max_output_tokens),
    unknown(view.pricing?.input),
    unknown(view.pricing?.output),
    view.capabilities.join(", "),
  ];
}
