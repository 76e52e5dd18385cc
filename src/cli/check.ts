// `poundkey check`: validates the configuration, or prints its schema.

import { type ConfigSource, formatErrors, loadConfig } from "../app/configuration.ts";
import { EXIT, type Io } from "../app/terminal.ts";
import { buildCatalogue } from "../catalogue/catalogue.ts";
import { type ConfigError, createError, formatError } from "../config/errors.ts";
import type { Loaded } from "../config/load.ts";
import { configJsonSchema } from "../config/schema.ts";
import type { ModelCard } from "../core/card.ts";
import type { ProviderSetup, Settings } from "../core/settings.ts";
import { formatCount } from "./administration.ts";
import { type Arguments, COMMON_FLAGS, makeFlagCommand, readConfigurationFlags } from "./arguments.ts";

export interface CheckPorts extends ConfigSource {
  /** Calls the provider once and returns a sentence on its answer. Rejects if the call fails. */
  readonly probe: (provider: ProviderSetup, cards: readonly ModelCard[]) => Promise<string>;
  /** Returns the store's files that other users of the machine may read or write. */
  readonly exposedFiles: (store: string) => readonly string[];
}

const HELP = `usage: poundkey check [--config FILE] [--probe] [--schema] [--json]

Checks the configuration, and prints the file, line, column and field of each error. Also warns about settings that are
valid but may not do what you expect. Warnings don't change the exit code.

  --config FILE, --store S  as for \`poundkey serve\`
  --probe        call each provider once, with its first key
  --schema       print the configuration's JSON Schema and exit
  --json         print the result as JSON
  --help         print this help`;

const FLAGS = { ...COMMON_FLAGS, probe: "switch", schema: "switch" } as const;

interface Probed {
  readonly provider: string;
  readonly ok: boolean;
  readonly message: string;
}

/** Returns the exit code: 0 for a valid configuration, 1 for an invalid one or a failed probe, 2 for wrong usage. */
export const runCheck = makeFlagCommand({ name: "check", help: HELP, flags: FLAGS }, check);

async function check(given: Arguments, io: Io, ports: CheckPorts): Promise<number> {
  const { switches } = given;
  if (switches.has("schema")) {
    io.out(JSON.stringify(configJsonSchema(), null, 2));
    return EXIT.done;
  }
  const { file, loaded } = loadConfig(readConfigurationFlags(given), ports);
  const warnings = loaded.ok ? [...loaded.warnings, ...warnOfExposed(loaded.settings, ports)] : [];
  const probes = loaded.ok && switches.has("probe") ? await probeAll(loaded.settings, ports.probe) : [];
  const ok = loaded.ok && probes.every((probe) => probe.ok);
  if (switches.has("json"))
    io.out(JSON.stringify({ ok, ...createResult(file, loaded, warnings, probes) }, null, 2));
  else report(file, loaded, warnings, probes, io);
  return ok ? EXIT.done : EXIT.failed;
}

async function probeAll(settings: Settings, probe: CheckPorts["probe"]): Promise<readonly Probed[]> {
  const { providers } = settings;
  const cards = buildCatalogue(settings).list();
  const cardsOf = ({ name }: ProviderSetup) => cards.filter((card) => card.provider === name);
  const results = await Promise.allSettled(providers.map((provider) => probe(provider, cardsOf(provider))));
  return results.map((result, at) => {
    const provider = providers[at]?.name ?? "";
    if (result.status === "fulfilled") return { provider, ok: true, message: result.value };
    return { provider, ok: false, message: describeFailure(result.reason) };
  });
}

/** The cause names no secret, and tells a token that isn't given from a provider that doesn't answer. */
function describeFailure(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  return typeof reason.cause === "string" ? `${reason.message} (${reason.cause})` : reason.message;
}

function warnOfExposed({ store }: Settings, { exposedFiles }: CheckPorts): readonly ConfigError[] {
  const message = "other users of this machine can read or write it; run chmod 600 on it";
  return exposedFiles(store).map((file) => createError({ file, line: 0, column: 0, field: "", message }));
}

type Warnings = readonly ConfigError[];

function report(file: string, loaded: Loaded, warnings: Warnings, probes: readonly Probed[], io: Io): void {
  if (!loaded.ok) {
    io.err(formatErrors(loaded.errors));
    return;
  }
  for (const warning of warnings) io.err(`warning: ${formatError(warning)}`);
  const providers = formatCount(loaded.settings.providers.length, "provider");
  const models = formatCount(buildCatalogue(loaded.settings).list().length, "model");
  io.out(`${file}: valid; ${providers} enabled, ${models}`);
  for (const { provider, ok, message } of probes) {
    if (ok) io.out(`${provider}: ${message}`);
    else io.err(`${provider}: failed: ${message}`);
  }
}

function createResult(file: string, loaded: Loaded, warnings: Warnings, probes: readonly Probed[]): object {
  if (!loaded.ok) return { file, errors: loaded.errors, warnings, providers: [], models: 0, probes };
  const providers = loaded.settings.providers.map(({ name }) => name);
  const { length: models } = buildCatalogue(loaded.settings).list();
  return { file, errors: [], warnings, providers, models, probes };
}
