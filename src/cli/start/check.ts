// `poundkey check`: validates the configuration, or prints its schema.

import type { ProbeResult } from "../../app/models/probe.ts";
import { type ConfigSource, formatErrors, loadConfig } from "../../app/start/configuration.ts";
import type { UnreadStore } from "../../app/start/store-versions.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import type { ToolProbe } from "../../app/tools/probe.ts";
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { type ConfigError, createError, formatError } from "../../config/errors.ts";
import type { LoadResult } from "../../config/load.ts";
import { configJsonSchema } from "../../config/published-schema.ts";
import { listUnbounded } from "../../config/unbounded-rules.ts";
import { describeStops, nameNode } from "../../core/live-nodes.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { SignInRules } from "../../core/people/sign-in.ts";
import type { ProviderSetup, Settings } from "../../core/settings.ts";
import type { ToolServer } from "../../core/tools/tool-server.ts";
import { findEnded } from "../../store/schema/older-nodes.ts";
import type { SchemaVersions } from "../../store/schema/versions.ts";
import { formatCount } from "../administration.ts";
import { type Arguments, COMMON_FLAGS, makeFlagCommand } from "../arguments.ts";
import { listCacheHints } from "./cache-hints.ts";
import { warnOfUnwritable } from "./catalogue-writable.ts";
import { readConfigurationWord } from "./configuration-word.ts";
import { type GroupNames, warnOfDirectory, warnOfGroups } from "./directory-groups.ts";
import { type KeyModels, warnOfEndingKeys } from "./ending-keys.ts";
import { warnOfGuardOwners } from "./guard-owners.ts";
import { warnOfCatalogue, warnOfEnds } from "./model-warnings.ts";
import { describeToolProbe } from "./tool-probes.ts";

export interface CheckPorts extends ConfigSource {
  /** Calls the provider once with each of its credentials. */
  readonly probe: (provider: ProviderSetup, cards: readonly ModelCard[]) => Promise<readonly ProbeResult[]>;
  /** Asks the provider that people sign in with once, and returns a sentence. Rejects if it doesn't answer. */
  readonly probeIssuer: (rules: SignInRules) => Promise<string>;
  /** Asks each tool server once. Missing if none are asked. */
  readonly probeTools?: (servers: readonly ToolServer[]) => Promise<readonly ToolProbe[]>;
  /** Returns how many of the store's accounts a name or id means, or null if that can't be known without more than a look. */
  readonly accountNames: (store: string, mayConnect: boolean) => Promise<ReadonlyMap<string, number> | null>;
  /** Returns the names and ids of the store's accounts that bound each member, or null as above. Missing if no store is. */
  readonly boundAccounts?: (store: string, mayConnect: boolean) => Promise<ReadonlySet<string> | null>;
  /** Returns the store's keys that have a list of models, or null as above. Missing if no store is. */
  readonly keyModels?: (store: string, mayConnect: boolean) => Promise<readonly KeyModels[] | null>;
  /** Returns the names and ids of the store's keys, or null as above. Missing if no store is. */
  readonly keyNames?: (store: string, mayConnect: boolean) => Promise<ReadonlySet<string> | null>;
  /** Returns the groups of the company's directory, or null as above. Missing if no store is. */
  readonly groupNames?: (store: string, mayConnect: boolean) => Promise<readonly GroupNames[] | null>;
  /** Returns the store's files that other users of the machine may read or write. */
  readonly exposedFiles: (store: string) => readonly string[];
  /** Returns the versions of the store's schema or why they can't be read, or null if that takes more than a look. */
  readonly schema: (store: string, mayConnect: boolean) => Promise<SchemaVersions | UnreadStore | null>;
  /** The time by which models end. Missing for the system's clock. */
  readonly nowMs?: () => number;
  /** Returns the program's version and commit. */
  readonly version: () => Promise<string>;
}

const HELP = `usage: poundkey check [FILE] [--probe] [--schema] [--json]

Checks the configuration, and prints the file, line, column and field of each error. Also warns about settings that are
valid but may not do what you expect. Warnings don't change the exit code. Shows the versions of this program and of the
store's schema, if there is a store; one on PostgreSQL is asked only with --probe, and by \`poundkey migrate --dry-run\`.

  FILE           the configuration, as --config names it
  --config FILE, --store S  as for \`poundkey serve\`
  --probe        call each provider once with each of its keys, the one that people sign in with, and tool servers
  --schema       print the configuration's JSON Schema and exit
  --json         print the result as JSON
  --help         print this help

examples:
  poundkey check poundkey.yaml
  poundkey check --probe
  poundkey check --schema > poundkey.schema.json`;

const FLAGS = { ...COMMON_FLAGS, probe: "switch", schema: "switch" } as const;

/** One credential of a provider, and the answer that it got. */
interface ProviderProbe extends ProbeResult {
  readonly provider: string;
}

/** Returns the exit code: 0 for a valid configuration, 1 for an invalid one or a failed probe, 2 for wrong usage. */
export const runCheck = makeFlagCommand({ name: "check", help: HELP, flags: FLAGS, wordsMax: 1 }, check);

async function check(args: Arguments, io: Io, ports: CheckPorts): Promise<number> {
  const { switches } = args;
  if (switches.has("schema")) {
    io.out(JSON.stringify(configJsonSchema(), null, 2));
    return EXIT.done;
  }
  const { file, loaded } = loadConfig(readConfigurationWord(args), ports);
  const { warnings, schema } = await lookAtStore(loaded, ports, switches.has("probe"));
  const probes = loaded.ok && switches.has("probe") ? await probeAll(loaded.settings, ports.probe) : [];
  const signIn = loaded.ok && switches.has("probe") ? await probePeople(loaded.settings, ports) : null;
  const tools = loaded.ok && switches.has("probe") ? await probeServers(loaded.settings, ports) : [];
  const ok = loaded.ok && [...probes, ...tools].every((probe) => probe.ok) && signIn?.ok !== false;
  const isUnasked = !switches.has("probe") && loaded.ok && loaded.settings.store.startsWith("postgres");
  const versions = { version: await ports.version(), schema, isUnasked };
  const result = createResult(file, loaded, warnings, probes);
  if (switches.has("json"))
    io.out(JSON.stringify({ ok, ...result, tools, sign_in: signIn, ...viewVersions(versions) }, null, 2));
  else report(file, loaded, warnings, probes, io, versions);
  if (!switches.has("json")) reportBeside(io, tools, signIn);
  return ok ? EXIT.done : EXIT.failed;
}

function reportBeside(
  io: Io,
  tools: readonly ToolProbe[],
  signIn: { readonly ok: boolean; readonly message: string } | null,
): void {
  for (const probed of tools) (probed.ok ? io.out : io.err)(describeToolProbe(probed));
  if (signIn !== null) (signIn.ok ? io.out : io.err)(`sign_in: ${signIn.message}`);
}

async function probeServers({ tools }: Settings, { probeTools }: CheckPorts): Promise<readonly ToolProbe[]> {
  return tools === undefined || probeTools === undefined ? [] : await probeTools(tools.servers);
}

/** Returns all warnings, the file's first, and the versions of the schema if they can be read. */
async function lookAtStore(loaded: LoadResult, ports: CheckPorts, mayConnect: boolean) {
  if (!loaded.ok) return { warnings: [], schema: null };
  const { settings, warnings } = loaded;
  const found = await ports.schema(settings.store, mayConnect);
  const schema = found !== null && "known" in found ? found : null;
  const unknown = [
    ...(await warnOfAccounts(settings, ports, mayConnect)),
    ...(await warnOfUnbounded(settings, ports, mayConnect)),
    ...(await warnOfGuardOwners(settings, ports, mayConnect)),
    ...warnOfDirectory(settings.signIn),
    ...warnOfGroups(settings.signIn, (await ports.groupNames?.(settings.store, mayConnect)) ?? []),
  ];
  const keys = await ports.keyModels?.(settings.store, mayConnect);
  return {
    warnings: [
      ...warnings,
      ...unknown,
      ...warnOfEnds(settings, (ports.nowMs ?? Date.now)()),
      ...warnOfCatalogue(settings),
      ...warnOfEndingKeys(settings, keys ?? [], (ports.nowMs ?? Date.now)()),
      ...warnOfExposed(settings, ports),
      ...warnOfUnwritable(settings),
      ...warnOfUnread(found),
    ],
    schema,
  };
}

interface CheckedVersions {
  readonly version: string;
  readonly schema: SchemaVersions | null;
  /** True if it could be known by a call. */
  readonly isUnasked: boolean;
}

function viewVersions({ version, schema }: Omit<CheckedVersions, "isUnasked">): object {
  if (schema === null) return { version, schema: null };
  const { known, stored, oldestSupported } = schema;
  const older = findEnded(schema).map(nameNode);
  return { version, schema: { known, stored, oldest_supported: oldestSupported, older_nodes: older } };
}

const UNASKED =
  "the store on PostgreSQL wasn't asked for its version: add --probe, or run poundkey migrate --dry-run, which calls no provider";

function describeVersions({ version, schema, isUnasked }: CheckedVersions): string {
  if (schema === null) return isUnasked ? `version ${version}; ${UNASKED}` : `version ${version}`;
  const { known, stored, oldestSupported } = schema;
  const next = stored < known ? ", which the next start migrates" : "";
  const ended = findEnded(schema).map(nameNode);
  const stops = ended.length === 0 ? "" : `\n${describeStops(ended)}`;
  return `version ${version}, which knows the store's schema up to ${known}; the store has ${stored}${next}, and supports programs from ${oldestSupported}${stops}`;
}

async function probeAll(settings: Settings, probe: CheckPorts["probe"]): Promise<readonly ProviderProbe[]> {
  const cards = buildCatalogue(settings).list();
  const cardsOf = ({ name }: ProviderSetup) => cards.filter((card) => card.provider === name);
  const results = settings.providers.map(async (provider) => {
    const probes = await probe(provider, cardsOf(provider));
    return probes.map((one) => ({ provider: provider.name, ...one }));
  });
  return (await Promise.all(results)).flat();
}

/** Null if people can't sign in. */
async function probePeople({ signIn }: Settings, { probeIssuer }: CheckPorts) {
  if (signIn === undefined) return null;
  try {
    return { ok: true, message: await probeIssuer(signIn) };
  } catch (error) {
    const message = `failed: ${error instanceof Error ? error.message : String(error)}`;
    return { ok: false, message };
  }
}

/** One line: the provider, the credential, the status, and what was said. */
function describeProbe(probed: ProviderProbe): string {
  const { provider, credential, ok, status, model, latency_ms: ms, error } = probed;
  if (ok && model === null)
    return `${provider}: ${credential}: not called, because no chat model of it is listed`;
  const about = `${provider}: ${credential}: ${status ?? "no answer"}`;
  if (ok) return `${about}: ${model} answered in ${ms} ms`;
  const { upstream_code: code, message, cause, address } = probed;
  const words = [code, cause, message && `"${message}"`, address && `at ${address}`].filter(Boolean);
  return `${about}: failed: ${error}${words.length > 0 ? ` (${words.join(", ")})` : ""}`;
}

function warnOfExposed({ store }: Settings, { exposedFiles }: CheckPorts): readonly ConfigError[] {
  const message = "other users of this machine can read or write it; run chmod 600 on it";
  return exposedFiles(store).map((file) => createError({ file, line: 0, column: 0, field: "", message }));
}

function warnOfUnread(found: SchemaVersions | UnreadStore | null): readonly ConfigError[] {
  if (found === null || "known" in found) return [];
  const message = `the store can't be read, so its version isn't known: ${found.problem}`;
  return [createError({ file: found.place, line: 0, column: 0, field: "", message })];
}

/** Rules may name accounts before they are made, but a name that is spelled differently, or that several have, gives nobody a role. */
async function warnOfAccounts(
  { store, signIn }: Settings,
  { accountNames }: CheckPorts,
  mayConnect: boolean,
): Promise<readonly ConfigError[]> {
  if (signIn === undefined) return [];
  const known = await accountNames(store, mayConnect);
  if (known === null) return [];
  return signIn.rules.flatMap(({ accounts }, at) =>
    (accounts ?? [])
      .filter((name) => known.get(name) !== 1)
      .map((name) => {
        const field = `sign_in.oidc.rules[${at}].accounts`;
        const message = known.has(name)
          ? `several accounts in the store are called '${name}', so nobody has a role in them: give an id, or rename all but one`
          : `there is no account '${name}' in the store, so nobody has a role in it`;
        return createError({ file: "", line: 0, column: 0, field, message });
      }),
  );
}

/** Accounts that aren't known bound nobody. */
async function warnOfUnbounded(
  { store, signIn, ownerLimits }: Settings,
  { boundAccounts }: CheckPorts,
  mayConnect: boolean,
): Promise<readonly ConfigError[]> {
  if (signIn === undefined) return [];
  const bound = await boundAccounts?.(store, mayConnect);
  return listUnbounded(signIn, ownerLimits, bound ?? new Set()).map((at) => {
    const field = `sign_in.oidc.rules[${at}]`;
    const message =
      "its members have no budget of their own, and each new key begins its own again; set 'budgets' here, or 'member_defaults' at the top of the file or of the accounts";
    return createError({ file: "", line: 0, column: 0, field, message });
  });
}

type Warnings = readonly ConfigError[];

function report(
  file: string,
  loaded: LoadResult,
  warnings: Warnings,
  probes: readonly ProviderProbe[],
  io: Io,
  versions: CheckedVersions,
): void {
  if (!loaded.ok) {
    io.err(formatErrors(loaded.errors));
    return;
  }
  for (const warning of warnings) io.err(`warning: ${formatError(warning)}`);
  const providers = formatCount(loaded.settings.providers.length, "provider");
  const models = formatCount(buildCatalogue(loaded.settings).list().length, "model");
  io.out(`${file}: valid; ${providers} enabled, ${models}`);
  for (const probed of probes) (probed.ok ? io.out : io.err)(describeProbe(probed));
  for (const { field, message } of listCacheHints(loaded.settings)) io.out(`hint: ${field}: ${message}`);
  io.out(describeVersions(versions));
}

function createResult(
  file: string,
  loaded: LoadResult,
  warnings: Warnings,
  probes: readonly ProviderProbe[],
): object {
  if (!loaded.ok)
    return { file, errors: loaded.errors, warnings, hints: [], providers: [], models: 0, probes };
  const providers = loaded.settings.providers.map(({ name }) => name);
  const { length: models } = buildCatalogue(loaded.settings).list();
  const hints = listCacheHints(loaded.settings);
  return { file, errors: [], warnings, hints, providers, models, probes };
}
