// Builds the enabled providers from the file's section or, without one, from the keys in the environment.
import { omitUndefined } from "../../core/json/json.ts";
import { MINUTE_LIMITS, mapLimits } from "../../core/limits/limit-table.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { type DialectName, MARKED_DIALECTS } from "../../core/models/dialect-names.ts";
import type {
  Credential,
  KnownProvider,
  PlatformName,
  ProviderSetup,
  Timeouts,
} from "../../core/settings.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { suggest } from "../../core/text/nearest.ts";
import { NO_PROVIDER } from "../../core/text/pattern.ts";
import type { NetworkRules } from "../../core/world/network.ts";
import type { Issues, Path } from "../errors.ts";
import { type Environment, explainQuotes, type Interpolation, isQuoted } from "../interpolate.ts";
import { buildOperatorCards } from "../models/operator-cards.ts";
import { readNetwork } from "../network.ts";
import type { Config } from "../schema.ts";
import { parseBaseUrl } from "../units.ts";
import { AZURE } from "./azure.ts";
import { BEDROCK } from "./bedrock.ts";
import { readFamilyPrice } from "./family-price.ts";
import { type Cloud, checkPlatformFields, type PlatformSetup, readVariable } from "./platform.ts";
import { readPricing } from "./pricing.ts";
import type { ProviderConfig } from "./provider-schema.ts";
import { VERTEX } from "./vertex.ts";

interface ReadProviders {
  readonly providers: readonly ProviderSetup[];
  readonly operatorModels: readonly ModelCard[];
}

const CLOUDS: Readonly<Record<PlatformName, Cloud>> = { azure: AZURE, bedrock: BEDROCK, vertex: VERTEX };

/** Prefixes of model ids that no configured provider may have, with who has them. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ["router", "the selectors have it, such as Router#fair"],
  [NO_PROVIDER.toLowerCase(), "keys that may use no model are limited to its models"],
  ["sim", "the simulated provider has it, which 'poundkey serve --simulate' starts"],
]);
/** Headers that belong to the connection. */
const RESERVED_HEADERS = /^(host|content-length|transfer-encoding|connection|upgrade)$/i;
/** Fields that the gateway writes into every call itself. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["input", "messages", "model", "n", "prompt", "stream"]);
/** The dialect of a server that isn't known. */
const DEFAULT_DIALECT: DialectName = "openai";
const PRINTABLE = /^[\x21-\x7e]+$/;

/** The timeouts of a provider that configures none. */
export const TIMEOUTS: Timeouts = { connectMs: 5000, firstByteMs: null, idleMs: 60_000, totalMs: 600_000 };

export function buildProviders(
  config: Config["providers"],
  known: readonly KnownProvider[],
  environment: Environment & Pick<Interpolation, "resolved">,
  cards: readonly ModelCard[],
  issues: Issues,
): ReadProviders {
  if (config === undefined) return readEnvironment(known, environment, issues);
  const names = known.map((row) => row.name);
  const operatorModels: ModelCard[] = [];
  const providers = new Map<string, ProviderSetup>();
  for (const [name, entry] of Object.entries(config)) {
    const path = ["providers", name];
    const listed = known.find((one) => one.name.toLowerCase() === name.toLowerCase());
    const row =
      listed ?? known.find(({ platform }) => platform !== undefined && platform === findPlatform(entry));
    const canonical = listed?.name ?? name;
    const key = canonical.toLowerCase();
    const reserved = row === undefined ? RESERVED.get(key) : undefined;
    if (reserved !== undefined) issues.atKey(path, `${name} is a reserved name: ${reserved}`);
    else if (providers.has(key)) issues.atKey(path, "this provider is listed twice");
    const setup = buildSetup(
      { name: canonical, path, row, known, names, issues, ...environment },
      entry ?? {},
    );
    providers.set(key, addRedacted(setup, listResolved(path, environment.resolved)));
    const own = {
      provider: canonical,
      models: entry?.models ?? [],
      path,
      spoken: listSpoken(entry ?? {}, row),
      known,
      cards,
      cloud: row?.platform === undefined ? null : row,
    };
    operatorModels.push(...buildOperatorCards(own, issues));
  }
  return { providers: [...providers.values()], operatorModels };
}

function addRedacted(setup: ProviderSetup, words: readonly string[]): ProviderSetup {
  if (words.length === 0) return setup;
  return { ...setup, redactedWords: [...(setup.redactedWords ?? []), ...words] };
}

/** Returns the values from the environment and from files in a provider's fields. Its models' names are no secrets. */
function listResolved(path: Path, resolved: Interpolation["resolved"]): readonly string[] {
  return resolved
    .filter((one) => path.every((step, at) => one.path[at] === step) && one.path[path.length] !== "models")
    .map(({ value }) => value);
}

function readEnvironment(
  known: readonly KnownProvider[],
  environment: Environment,
  issues: Issues,
): ReadProviders {
  const providers = known
    .filter((row) => isInEnvironment(row, environment))
    .map((row) =>
      buildSetup({ name: row.name, path: [], row, known, names: [], issues, ...environment }, {}),
    );
  return { providers, operatorModels: [] };
}

function isInEnvironment({ keyVariables, platform }: KnownProvider, environment: Environment): boolean {
  const hasKey = hasKeyVariable(keyVariables, environment.env);
  return platform === undefined ? hasKey : CLOUDS[platform].isInEnvironment(environment, hasKey);
}

function hasKeyVariable(variables: readonly string[], env: Environment["env"]): boolean {
  return variables.some((name) => readVariable(env, name) !== "");
}

/** The cloud that an entry under another name belongs to. Bedrock's dialect implies Bedrock. */
function findPlatform(entry: ProviderConfig | null): PlatformName | undefined {
  return entry?.platform ?? (entry?.dialect === "bedrock" ? "bedrock" : undefined);
}

function listSpoken({ dialect }: ProviderConfig, row: KnownProvider | undefined): readonly DialectName[] {
  if (dialect !== undefined && row?.platform === undefined) return [dialect];
  return row?.dialects?.map(({ name }) => name) ?? [DEFAULT_DIALECT];
}

interface ProviderContext extends Environment {
  readonly name: string;
  readonly path: Path;
  readonly row: KnownProvider | undefined;
  readonly known: readonly KnownProvider[];
  /** The names of the known providers. */
  readonly names: readonly string[];
  readonly issues: Issues;
}

/** The address and the credentials. */
function placeProvider(
  context: ProviderContext,
  entry: ProviderConfig,
): PlatformSetup & Pick<ProviderSetup, "platform"> {
  const { row, path, issues } = context;
  checkPlatformFields({ ...context, entry }, row?.platform);
  if (entry.platform !== undefined && entry.platform !== row?.platform)
    issues.atValue([...path, "platform"], `${context.name} is not on this platform`);
  const readKeys = () => readCredentials(context, entry.keys);
  const hasKey = () => hasKeyVariable(row?.keyVariables ?? [], context.env);
  const platform = row?.platform;
  const address = entry.base_url === undefined ? null : parseBaseUrl(entry.base_url);
  return platform === undefined
    ? { baseUrl: address ?? findAddress(context), credentials: readKeys() }
    : { platform, ...CLOUDS[platform].build({ ...context, entry, address, readKeys, hasKey }) };
}

/** Reports the fields that change nothing here. */
function warnOfNoEffect(context: ProviderContext, entry: ProviderConfig): void {
  const isMarked = listSpoken(entry, context.row).some((one) => MARKED_DIALECTS.has(one));
  const canMark = isMarked || (context.row?.takesMarks === true && entry.dialect === undefined);
  if (entry.output_default !== undefined && !isMarked)
    context.issues.atKey(
      [...context.path, "output_default"],
      "has no effect: no dialect here needs a limit; clients may send max_tokens",
    );
  if (entry.cache_marks !== undefined && !canMark)
    context.issues.atKey([...context.path, "cache_marks"], "has no effect: no dialect here has cache marks");
  if (entry.checks_keys === true && context.row?.platform !== undefined)
    context.issues.atKey(
      [...context.path, "checks_keys"],
      "has no effect: a cloud's credentials aren't checked",
    );
  for (const [at, field] of (entry.extra_fields ?? []).entries()) {
    if (OWN_FIELDS.has(field))
      context.issues.atValue(
        [...context.path, "extra_fields", at],
        "has no effect: the gateway sets this field",
      );
  }
}

function buildSetup(context: ProviderContext, entry: ProviderConfig): ProviderSetup {
  const { output_default: outputTokensDefault = context.row?.outputTokensDefault } = entry;
  warnOfNoEffect(context, entry);
  const connection = readNetwork(entry, context.path, context.issues);
  const place = addNetwork(placeProvider(context, entry), connection.network);
  return {
    name: context.name,
    dialect: chooseDialect(context, entry),
    ...place,
    ...connection,
    ...readPricing({ ...context, ...place, entry }),
    headers: readHeaders(context, entry.headers ?? {}),
    timeouts: readTimeouts(entry.timeouts ?? {}),
    unlistedModels: Boolean(entry.unlisted_models),
    ...readFamilyPrice(context, entry.unlisted_models),
    ...(context.row?.discovers ? { discovers: true } : {}),
    ...(entry.checks_keys === undefined ? {} : { checksKeys: entry.checks_keys }),
    ...(entry.cache_marks === undefined ? {} : { cacheMarks: entry.cache_marks }),
    ...(outputTokensDefault === undefined ? {} : { outputTokensDefault }),
    ...(entry.extra_fields?.length ? { extraFields: entry.extra_fields } : {}),
  };
}

/** Its tokens and keys come from servers that are reached like its own. */
function addNetwork<Place extends PlatformSetup>(place: Place, network: NetworkRules | undefined): Place {
  if (network === undefined) return place;
  const credentials = place.credentials.map((one) =>
    one.proof === undefined ? one : { ...one, proof: { ...one.proof, network } },
  );
  return { ...place, credentials };
}

function chooseDialect({ row }: ProviderContext, { dialect }: ProviderConfig): DialectName | null {
  if (row?.platform === "bedrock") return null;
  return dialect ?? (row === undefined ? DEFAULT_DIALECT : null);
}

function findAddress({ name, path, row, names, issues }: ProviderContext): string {
  if (row === undefined && !RESERVED.has(name.toLowerCase()))
    issues.atKey(path, `${name} is not a known provider, so it needs a base_url${suggest(name, names)}`);
  return row?.baseUrl ?? "";
}

function readCredentials(context: ProviderContext, config: ProviderConfig["keys"]): readonly Credential[] {
  if (config !== undefined) {
    const credentials = config.map(readCredential);
    for (const [at, { secret, name }] of credentials.entries()) {
      const path = [...context.path, "keys", at];
      if (credentials.findIndex((one) => one.secret === secret) !== at)
        context.issues.atValue(path, "this key is listed twice");
      if (name !== undefined && credentials.findIndex((one) => one.name === name) !== at)
        context.issues.atValue([...path, "name"], "another key of this provider has this name");
    }
    return credentials;
  }
  const variables = context.row?.keyVariables ?? [];
  if (variables.length === 0) return [{ secret: null, weight: 1 }];
  return [{ secret: readKeyVariable(context, variables), weight: 1 }];
}

function readCredential(given: NonNullable<ProviderConfig["keys"]>[number]): Credential {
  if (typeof given === "string") return { secret: given, weight: 1 };
  const { key, name, weight = 1, price_factor: factor = 1 } = given;
  const limits = mapLimits(MINUTE_LIMITS, "property", ({ name }) => given[name]);
  return {
    secret: key,
    weight,
    ...omitUndefined({ name, ...limits }),
    ...(factor === 1 ? {} : { priceFactor: factor }),
  };
}

function readKeyVariable({ path, env, issues }: ProviderContext, variables: readonly string[]): string {
  const variable = variables.find((name) => readVariable(env, name) !== "");
  if (variable === undefined) {
    const names = variables.join(" or ");
    issues.atKey(path, `has no keys, and the environment variable ${names} is not set`);
    return "";
  }
  const secret = readVariable(env, variable);
  if (isQuoted(secret)) issues.atVariable(variable, explainQuotes(variable));
  else if (!PRINTABLE.test(secret))
    issues.atVariable(variable, "expected a key of printable characters without spaces");
  return secret;
}

function readHeaders(
  { path, issues }: ProviderContext,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  for (const name of Object.keys(given).filter((one) => RESERVED_HEADERS.test(one))) {
    issues.atKey([...path, "headers", name], "this header can't be set, because the connection sets it");
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
}

function readTimeouts(given: NonNullable<ProviderConfig["timeouts"]>): Timeouts {
  const ms = (text: string | undefined) => (text === undefined ? null : parseDuration(text));
  return {
    connectMs: ms(given.connect) ?? TIMEOUTS.connectMs,
    firstByteMs: ms(given.first_byte),
    idleMs: ms(given.idle) ?? TIMEOUTS.idleMs,
    totalMs: ms(given.total) ?? TIMEOUTS.totalMs,
  };
}
