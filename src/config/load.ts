// Loads the settings from a file's text, the environment and the command line: the checked settings, or all errors.
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { NANO_PER_USD } from "../core/money.ts";
import type {
  FreeRules,
  KnownProvider,
  ProviderSetup,
  QuotaRules,
  ResponseRules,
  ServerRules,
  Settings,
} from "../core/settings.ts";
import { readCatalogueFile } from "./catalogue-file.ts";
import { type ConfigError, createError, ERRORS_MAX, formatField, type Issue, Issues } from "./errors.ts";
import { storeUrl } from "./field-types.ts";
import { interpolate, isWithin, type Outside } from "./interpolate.ts";
import { ModelFields } from "./models.ts";
import { readVariable } from "./platform.ts";
import { buildProviders } from "./providers.ts";
import { adminToken, type Config } from "./schema.ts";
import { parseClock, parseDuration, parseSize } from "./units.ts";
import { validate } from "./validate.ts";
import { collectWarnings } from "./warnings.ts";
import { YamlText } from "./yaml.ts";

/** The settings of the command line, which override the file's. */
export interface Overrides {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly store?: string | undefined;
  /** The path of a catalogue file. */
  readonly catalogue?: string | undefined;
}

export interface LoadInput extends Outside {
  /** The file's text, or null if there is no file. */
  readonly text: string | null;
  /** The file's name, for errors. */
  readonly file: string;
  readonly known: readonly KnownProvider[];
  readonly overrides: Overrides;
  /** False: the simulated provider is off, so that none of its models may be named. */
  readonly isSimulated?: boolean;
}

export type Loaded =
  | {
      readonly ok: true;
      readonly settings: Settings;
      /** Settings that are valid but may not do what the operator means. */
      readonly warnings: readonly ConfigError[];
    }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };

const DEFAULT_STORE = "sqlite:./.poundkey/poundkey.db";
const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 8080;
const BODY_BYTES = 32_000_000;
const BODY_MEMORY_BYTES = 256_000_000;
const DRAIN_MS = 25_000;
const KEEP_ALIVE_MS = 15_000;
const REQUESTS_PER_DAY = 200;
/** Without a bound, a key of 200 requests a day could spend over 100,000 USD on the most expensive models. */
const FREE_BUDGET_USD = 20;
const THROTTLE_MS = 600_000;
const CHOICES = 16;
const MESSAGES = 10_000;
const LOG_KEEP_MS = 30 * 86_400_000;
const RESPONSE_BYTES = 64_000_000;

/** Never throws; returns up to 20 errors, in the file's order. An empty file is a valid configuration. */
export function loadSettings(input: LoadInput): Loaded {
  const yaml = new YamlText(input.text ?? "");
  const problems = yaml.problems();
  if (problems.length > 0) {
    const errors = problems.map(({ path, ...rest }) =>
      createError({ file: input.file, field: formatField(path), ...rest }),
    );
    return { ok: false, errors: errors.slice(0, ERRORS_MAX) };
  }
  const { sources, issues: missing } = interpolate(yaml, input);
  const checked = validate(readValues(yaml), sources);
  if (missing.length > 0 || !checked.ok) {
    const wrong = checked.ok ? [] : checked.issues.filter((issue) => !isWithin(issue.path, missing));
    return fail([...missing, ...wrong], yaml, input.file);
  }
  const { settings, issues } = buildSettings(checked.config, input);
  if (issues.length > 0) return fail(issues, yaml, input.file);
  return {
    ok: true,
    settings,
    warnings: placeIssues(collectWarnings(checked.config, settings), yaml, input.file),
  };
}

/** Returns a text that the schema refuses if aliases repeat without end. */
function readValues(yaml: YamlText): unknown {
  try {
    return yaml.value();
  } catch {
    return "an alias that repeats without end";
  }
}

function fail(issues: readonly Issue[], yaml: YamlText, file: string): Loaded {
  return { ok: false, errors: placeIssues(issues, yaml, file) };
}

/** Returns the first errors in the file's order. */
function placeIssues(issues: readonly Issue[], yaml: YamlText, file: string): readonly ConfigError[] {
  const found = issues.map((issue) => placeIssue(issue, yaml, file));
  found.sort((one, other) => one.line - other.line || one.column - other.column);
  return found.slice(0, ERRORS_MAX);
}

function placeIssue({ path, at, message, variable }: Issue, yaml: YamlText, file: string): ConfigError {
  if (variable !== undefined) {
    return createError({ file: "environment", line: 0, column: 0, field: variable, message });
  }
  return createError({ file, ...yaml.findPlace(path, at), field: formatField(path), message });
}

function buildSettings(
  config: Config,
  input: LoadInput,
): { readonly settings: Settings; readonly issues: readonly Issue[] } {
  const issues = new Issues();
  const catalogueFile = input.overrides.catalogue ?? config.catalogue;
  const cards = readCatalogueFile(catalogueFile, input.readFile, issues);
  const { providers, ownModels } = buildProviders(config.providers, input.known, input, cards, issues);
  const inFile: readonly ProviderSetup[] | null = config.providers === undefined ? null : providers;
  const models = new ModelFields([...cards, ...ownModels], inFile, input.isSimulated ?? true, issues);
  const settings: Settings = {
    server: buildServerRules(config.server ?? {}, input, issues),
    store: chooseStore(config.store, input, issues),
    providers,
    ownModels,
    ...(catalogueFile === undefined ? {} : { catalogueFile, newerModels: cards }),
    overlay: models.overlay(config.models ?? {}),
    aliases: models.aliases(config.aliases ?? {}),
    router: models.router(config.router ?? {}),
    quota: buildQuotaRules(config.quota ?? {}),
    billing: { charge: config.billing?.charge ?? "beyond_allowance", markup: config.billing?.markup ?? 1 },
    limits: {
      choicesMax: config.limits?.n ?? CHOICES,
      messagesMax: config.limits?.messages ?? MESSAGES,
      ...(config.native?.remote_tools ? { remoteTools: true } : {}),
      ...(config.responses?.upstream_store ? { storesUpstream: true } : {}),
    },
    log: { content: config.log?.content ?? false, keepMs: parseMs(config.log?.keep, LOG_KEEP_MS) },
    responses: buildResponseRules(config.responses ?? {}),
    metrics: { token: config.metrics?.token ?? null },
  };
  return { settings, issues: issues.all };
}

function parseMs(text: string | undefined, otherwise: number): number {
  return (text === undefined ? null : parseDuration(text)) ?? otherwise;
}

function buildServerRules(
  server: NonNullable<Config["server"]>,
  { env, overrides }: LoadInput,
  issues: Issues,
): ServerRules {
  const bodyBytesMax = parseBytes(server.body_limit) ?? BODY_BYTES;
  const bodyMemoryBytes = parseBytes(server.body_memory) ?? Math.max(BODY_MEMORY_BYTES, bodyBytesMax);
  if (bodyMemoryBytes < bodyBytesMax) {
    const message = "expected at least as much as body_limit, so that one body always fits";
    issues.atValue(["server", "body_memory"], message);
  }
  return {
    host: overrides.host ?? server.host ?? DEFAULT_HOST,
    port: overrides.port ?? server.port ?? DEFAULT_PORT,
    adminToken: server.admin_token ?? readField("POUNDKEY_ADMIN_TOKEN", adminToken, env, issues),
    bodyBytesMax,
    bodyMemoryBytes,
    drainMs: parseMs(server.drain, DRAIN_MS),
    keepAliveMs: parseMs(server.keep_alive, KEEP_ALIVE_MS),
    trustedProxies: server.trusted_proxies ?? [],
    hosts: server.hosts ?? [],
    cors: server.cors ?? [],
  };
}

function parseBytes(size: string | number | undefined): number | null {
  return size === undefined ? null : parseSize(size);
}

function chooseStore(store: string | undefined, { env, overrides }: LoadInput, issues: Issues): string {
  return overrides.store ?? store ?? readField("POUNDKEY_STORE", storeUrl, env, issues) ?? DEFAULT_STORE;
}

/** Returns a variable that replaces the field with that schema, or null if it isn't set. */
function readField(name: string, field: TSchema, env: LoadInput["env"], issues: Issues): string | null {
  const value = readVariable(env, name);
  if (value === "") return null;
  if (!Value.Check(field, value)) issues.atVariable(name, `expected ${field.expected}`);
  return value;
}

function buildQuotaRules(quota: NonNullable<Config["quota"]>): QuotaRules {
  const { requests_per_day: perDay, day_starts: dayStarts } = quota;
  return {
    requestsPerDay: perDay === undefined ? REQUESTS_PER_DAY : perDay,
    throttleMs: parseMs(quota.throttle, THROTTLE_MS),
    scope: quota.scope ?? "key",
    dayStartsMinutes: (dayStarts === undefined ? null : parseClock(dayStarts)) ?? 0,
    timeZone: quota.time_zone ?? "UTC",
    free: readFreeRules(quota.free ?? {}),
  };
}

/** Amounts below a nano-dollar are rounded off. */
function readFreeRules(free: NonNullable<NonNullable<Config["quota"]>["free"]>): FreeRules {
  const { models = ["*"], budget_usd_per_day: usd = FREE_BUDGET_USD } = free;
  return { models, budgetNanoUsd: usd === null ? null : Math.round(usd * NANO_PER_USD) };
}

function buildResponseRules(responses: NonNullable<Config["responses"]>): ResponseRules {
  const { keep = 0, max_bytes: bytes } = responses;
  return {
    keepMs: keep === 0 ? 0 : parseMs(keep, 0),
    bytesMax: (bytes === undefined ? null : parseSize(bytes)) ?? RESPONSE_BYTES,
  };
}
