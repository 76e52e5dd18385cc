// Loads the settings from a file's text, the environment and the command line: the checked settings, or all errors.

import { omitUndefined } from "../core/json/json.ts";
import { NANO_PER_USD } from "../core/money/money.ts";
import type { KnownProvider, ProviderSetup, QuotaRules, ServerRules, Settings } from "../core/settings.ts";
import { parseDuration } from "../core/text/duration.ts";
import { buildCacheRules } from "./cache.ts";
import { readOrigin } from "./changes/origin.ts";
import { addDirectory } from "./directory.ts";
import { type ConfigError, createError, ERRORS_MAX, formatField, type Issue, Issues } from "./errors.ts";
import { readField } from "./field-variable.ts";
import { buildGuard } from "./guard.ts";
import { buildHooks } from "./hooks.ts";
import { type Environment, type Interpolation, interpolate, leaveOutWithin } from "./interpolate.ts";
import { buildBatchRules, buildFileRules } from "./models/batches.ts";
import { readCatalogue } from "./models/catalogue-rules.ts";
import { ModelFields } from "./models/models.ts";
import { readProfilesFile } from "./models/profiles-file.ts";
import { buildLimitRules } from "./owner-limits.ts";
import { buildProviders } from "./providers/providers.ts";
import { buildCompactionRules, buildResponseRules } from "./responses.ts";
import { adminToken, type Config } from "./schema.ts";
import { buildSignInRules } from "./sign-in.ts";
import { readStore } from "./store/store-place.ts";
import { buildTagHeaders } from "./tags-from.ts";
import { buildTelemetryRules } from "./telemetry.ts";
import { buildToolRules } from "./tools/tool-servers.ts";
import { buildStripeRules } from "./topups.ts";
import { parseClock, parseSize } from "./units.ts";
import { validateConfig } from "./validate.ts";
import { collectWarnings } from "./warnings.ts";
import { buildEndpoints } from "./webhooks.ts";
import { YamlText } from "./yaml.ts";
import type { TextPosition } from "./yaml-bounds.ts";

/** The settings of the command line, which override the file's. */
export interface Overrides {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly store?: string | undefined;
  /** The store's address as a file has it, with `${…}`, instead of that file's present one. */
  readonly storeSource?: string | undefined;
  /** The path of a catalogue file. */
  readonly catalogue?: string | undefined;
  /** The path of a file of benchmark results. */
  readonly profiles?: string | undefined;
}

export interface LoadInput extends Environment {
  /** The file's text, or null if there is no file. */
  readonly text: string | null;
  /** The file's name, for errors. */
  readonly file: string;
  readonly known: readonly KnownProvider[];
  readonly overrides: Overrides;
  /** False if the simulated provider is disabled, so that its models can't be named. */
  readonly isSimulated?: boolean;
  /** False refuses a file without any field, which an editor may have truncated before writing it. */
  readonly mayBeEmpty?: boolean;
}

/** The values of each section of the file, as JSON, to tell which of them a reload changes. Never shown. */
export type Sections = Readonly<Record<string, string>>;

export type LoadResult =
  | {
      readonly ok: true;
      readonly settings: Settings;
      readonly sections: Sections;
      /** Settings that are valid but may not do what the operator expects. */
      readonly warnings: readonly ConfigError[];
    }
  | {
      readonly ok: false;
      readonly errors: readonly ConfigError[];
      /** True if the configuration is right, and the place of the store isn't. */
      readonly isPlace?: boolean;
    };

const BODY_MEMORY_BYTES = 256_000_000;

const EMPTY: Issue = {
  path: [],
  at: "value",
  message: "the file is empty, so the configuration in use stays; write {} for the defaults alone",
};

/** Never throws; returns up to 20 errors, in the file's order. An empty file is a valid configuration. */
export function loadSettings(input: LoadInput): LoadResult {
  const yaml = new YamlText(input.text ?? "");
  const problems = yaml.problems();
  if (problems.length > 0) {
    const errors = problems.map(({ path, ...rest }) =>
      createError({ file: input.file, field: formatField(path), ...rest }),
    );
    return { ok: false, errors: errors.slice(0, ERRORS_MAX) };
  }
  const { sources, resolved, files, issues: missing } = interpolate(yaml, input);
  const values = readValues(yaml);
  if (input.mayBeEmpty === false && (values ?? null) === null) return fail([EMPTY], yaml, input.file);
  const checked = validateConfig(values, sources);
  if (missing.length > 0 || !checked.ok) {
    const wrong = checked.ok ? [] : leaveOutWithin(checked.issues, missing);
    return fail([...missing, ...wrong], yaml, input.file);
  }
  const { settings, issues } = buildSettings(checked.config, { ...input, resolved, sources });
  if (issues.length > 0) return fail(issues, yaml, input.file);
  const sections = writeSections(checked.config);
  const origin = input.text === null ? undefined : readOrigin(yaml, input, sections);
  return {
    ok: true,
    settings: {
      ...settings,
      ...(files.length > 0 ? { valueFiles: files } : {}),
      ...(origin === undefined ? {} : { origin }),
    },
    sections,
    warnings: placeIssues(collectWarnings(checked.config, settings, sources), yaml, input.file),
  };
}

function writeSections(config: Config): Sections {
  return Object.fromEntries(Object.entries(config).map(([name, section]) => [name, JSON.stringify(section)]));
}

/** Returns a text that the schema refuses if aliases repeat without end. */
export function readValues(yaml: YamlText): unknown {
  try {
    return yaml.value();
  } catch {
    return "a YAML alias that contains itself";
  }
}

function fail(issues: readonly Issue[], yaml: YamlText, file: string): LoadResult {
  return { ok: false, errors: placeIssues(issues, yaml, file) };
}

/** Returns the first errors in the file's order. */
export function placeIssues(issues: readonly Issue[], yaml: YamlText, file: string): readonly ConfigError[] {
  const found = issues.map((issue) => ({ issue, place: findPlace(issue, yaml) }));
  found.sort(({ place: one }, { place: other }) => one.line - other.line || one.column - other.column);
  return found.slice(0, ERRORS_MAX).map(({ issue, place }) => placeIssue(issue, place, yaml, file));
}

function findPlace({ path, at, variable }: Issue, yaml: YamlText): TextPosition {
  return variable === undefined ? yaml.findPosition(path, at) : { line: 0, column: 0 };
}

function placeIssue(issue: Issue, place: TextPosition, yaml: YamlText, file: string): ConfigError {
  const { path, variable, explain } = issue;
  const message = explain?.() ?? issue.message;
  if (variable !== undefined) return createError({ file: "environment", ...place, field: variable, message });
  const hint = yaml.explainCut(place.line);
  return createError({ file, ...place, field: formatField(path), message: `${message}${hint}` });
}

export function buildSettings(
  config: Config,
  input: LoadInput & Pick<Interpolation, "resolved" | "sources">,
): { readonly settings: Settings; readonly issues: readonly Issue[] } {
  const issues = new Issues();
  const placed = readStore(config, input, issues);
  const { cards, settings: catalogue } = readCatalogue(config.catalogue, input, placed.store, issues);
  const profilesFile = input.overrides.profiles ?? config.profiles;
  const benchmarks = readProfilesFile(profilesFile, input.readFile, issues);
  const { providers, operatorModels } = buildProviders(config.providers, input.known, input, cards, issues);
  const inFile: readonly ProviderSetup[] | null = config.providers === undefined ? null : providers;
  const models = new ModelFields([...cards, ...operatorModels], inFile, input, issues);
  const overlay = models.overlay(config.models ?? {});
  const aliases = models.aliases(config.aliases ?? {});
  const hooks = buildHooks(config.hooks, issues);
  models.checkHooks(hooks, overlay, aliases);
  const settings: Settings = {
    server: buildServerRules(config.server ?? {}, input, issues),
    ...placed,
    providers,
    operatorModels,
    ...catalogue,
    ...(profilesFile === undefined ? {} : { profilesFile, benchmarks }),
    overlay,
    aliases,
    hooks,
    router: models.router(config.router ?? {}),
    quota: buildQuotaRules(config.quota ?? {}),
    billing: { charge: "beyond_allowance", markup: 1, ...config.billing },
    ownerLimits: buildLimitRules(config, issues),
    limits: buildRequestLimits(config),
    log: buildLogRules(config.log ?? {}),
    cache: buildCacheRules(config.cache),
    ...omitUndefined({
      guard: buildGuard(config.guard, hooks, issues),
      tagsFrom: buildTagHeaders(config.tags_from, issues),
      tools: buildToolRules(config.mcp, issues),
    }),
    responses: buildResponseRules(config.responses ?? {}),
    files: buildFileRules(config.files),
    batches: buildBatchRules(config.batches),
    audit: buildAuditRules(config.audit),
    metrics: buildMetricsRules(config.metrics ?? {}, issues),
    webhooks: buildEndpoints(config.webhooks, issues),
    telemetry: buildTelemetryRules(config.telemetry, input.env, issues),
    ...buildStripeRules(config, issues),
    ...addDirectory(buildSignInRules(config, input.readFile, issues).signIn, config.scim, issues),
  };
  return { settings, issues: issues.all };
}

/** Without a token, anyone may read the metrics. */
function buildMetricsRules(
  { token = null, balances = [], budgets = [] }: NonNullable<Config["metrics"]>,
  issues: Issues,
): Settings["metrics"] {
  if (balances.length > 0 && token === null)
    issues.atKey(["metrics", "balances"], "shows balances to everyone; set metrics.token as well");
  if (budgets.length > 0 && token === null)
    issues.atKey(["metrics", "budgets"], "shows budgets to everyone; set metrics.token as well");
  return { token, balances, budgets };
}

function buildNativeRules({ remote_tools, mend, known = {} }: NonNullable<Config["native"]>) {
  const { betas = [], blocks = [], tools = [] } = known;
  const hasNames = betas.length + blocks.length + tools.length > 0;
  const names = { betas: new Set(betas), blocks: new Set(blocks), tools: new Set(tools) };
  const mends = mend === "never" ? {} : { mendsNamed: "surely_refused" as const };
  return { ...(remote_tools ? { remoteTools: true } : {}), ...(hasNames ? { known: names } : {}), ...mends };
}

function buildRequestLimits({ limits = {}, native, responses, guard = {} }: Config): Settings["limits"] {
  const { n: choicesMax = 16, messages: messagesMax = 10_000 } = limits;
  return {
    choicesMax,
    messagesMax,
    ...buildNativeRules(native ?? {}),
    ...(responses?.upstream_store ? { storesUpstream: true } : {}),
    ...(guard.constraints === "report" || guard.constraints === "drop"
      ? { constraints: guard.constraints }
      : {}),
    ...buildCompactionRules(responses),
  };
}

function buildAuditRules({ keep = "400d" }: NonNullable<Config["audit"]> = {}): Settings["audit"] {
  return { keepMs: readMs(keep) };
}

function buildLogRules(log: NonNullable<Config["log"]>): Settings["log"] {
  const { content = false, keep = "30d", level = null, address = "full" } = log;
  return { level, content, keepMs: readMs(keep), address };
}

/** The schema has checked it. */
function readMs(duration: string): number {
  return parseDuration(duration) ?? 0;
}

function readBytes(size: string | number): number {
  return parseSize(size) ?? 0;
}

function buildServerRules(
  server: NonNullable<Config["server"]>,
  { env, overrides }: LoadInput,
  issues: Issues,
): ServerRules {
  const { host = "127.0.0.1", port = 8080, trusted_proxies: trustedProxies = [], hosts = [] } = server;
  const { body_limit = "32MB", drain = "25s", keep_alive = "15s", cors = [] } = server;
  const { idle_timeout = "75s", store_wait = "2m", base_path: basePath = "" } = server;
  checkPublicUrl(server.public_url ?? null, basePath, issues);
  const bodyBytesMax = readBytes(body_limit);
  const bodyMemoryBytes = readBytes(server.body_memory ?? Math.max(BODY_MEMORY_BYTES, bodyBytesMax));
  if (bodyMemoryBytes < bodyBytesMax) {
    const message = "must be at least body_limit, so that one body always fits";
    issues.atValue(["server", "body_memory"], message);
  }
  return {
    host: overrides.host ?? host,
    port: overrides.port ?? port,
    ...findAdminToken(server, env, issues),
    adminTokenFrom: server.admin_token_from ?? [],
    bodyBytesMax,
    bodyMemoryBytes,
    drainMs: readMs(drain),
    storeWaitMs: readMs(store_wait),
    keepAliveMs: readMs(keep_alive),
    idleSeconds: Math.ceil(readMs(idle_timeout) / 1000),
    basePath,
    trustedProxies,
    hosts,
    cors,
    publicUrl: server.public_url?.replace(/\/$/, "") ?? null,
  };
}

/** Browsers come back to this address, so its path must be one that the gateway knows of. */
function checkPublicUrl(publicUrl: string | null, basePath: string, issues: Issues): void {
  if (publicUrl === null) return;
  const path = URL.parse(publicUrl)?.pathname.replace(/\/$/, "") ?? "";
  if (path === basePath) return;
  const message =
    basePath === ""
      ? `has a path, but server.base_path isn't set: set it to ${path}, or leave the path out`
      : `must end in server.base_path, ${basePath}`;
  issues.atValue(["server", "public_url"], message);
}

function findAdminToken(
  { admin_token: inFile }: NonNullable<Config["server"]>,
  env: LoadInput["env"],
  issues: Issues,
): Pick<ServerRules, "adminToken" | "adminTokenSetBy"> {
  if (inFile !== undefined) return { adminToken: inFile, adminTokenSetBy: "server.admin_token" };
  const variable = "POUNDKEY_ADMIN_TOKEN";
  const value = readField(variable, adminToken, env, issues);
  return { adminToken: value, adminTokenSetBy: value === null ? null : variable };
}

function buildQuotaRules(quota: NonNullable<Config["quota"]>): QuotaRules {
  const { requests_per_day: requestsPerDay = 200, scope = "key", time_zone: timeZone = "UTC" } = quota;
  const { throttle = "10m", day_starts = "00:00", week_starts: weekStarts = "monday", free = {} } = quota;
  // Without a bound, a key of 200 requests a day could spend over 100,000 USD on the most expensive models.
  const { models = ["*"], budget_usd_per_day: usd = 20 } = free;
  return {
    requestsPerDay,
    throttleMs: readMs(throttle),
    scope,
    timeZone,
    weekStarts,
    dayStartsMinutes: parseClock(day_starts) ?? 0,
    // Amounts below a nano-dollar are rounded off.
    free: { models, budgetNanoUsd: usd === null ? null : Math.round(usd * NANO_PER_USD) },
  };
}
