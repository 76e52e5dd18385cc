// new-api's channels as providers, and the models that they serve as aliases, groups and fallbacks.
import { asString, omitUndefined } from "../../core/json.ts";
import { type ForeignRow, readNumber, readObject, readText } from "../columns.ts";
import type { Groups } from "../groups.ts";
import type { Providers } from "../providers.ts";
import type { Report } from "../report.ts";
import { findServerDialect, nameKeyVariable } from "../servers.ts";
import type { ChannelTypes } from "./types.ts";

/** Their addresses are those that the gateway here uses anyway. */
const OWN_ADDRESS =
  /^https:\/\/(api\.openai\.com|api\.anthropic\.com|generativelanguage\.googleapis\.com|openrouter\.ai|api\.deepseek\.com|api\.mistral\.ai|api\.x\.ai|api\.moonshot\.(ai|cn)|api\.groq\.com|api\.together\.xyz|api\.perplexity\.ai|api\.cohere\.(ai|com)|dashscope(-intl)?\.aliyuncs\.com|api\.jina\.ai|open\.bigmodel\.cn|api\.z\.ai)\/?/;
const ENABLED = 1;
/** The dialects whose addresses end with their version. */
const VERSIONED = /\/v\d+(beta)?$/;

interface Parts {
  readonly report: Report;
  readonly providers: Providers;
  readonly groups: Groups;
  readonly types: ChannelTypes;
}

/** Channels of a lower priority are fallbacks. Returns them by model id. */
export function readChannels(
  channels: readonly ForeignRow[],
  parts: Parts,
): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, Ranked[]>();
  for (const row of channels) {
    for (const { name, id } of readChannel(row, parts)) {
      const weight = readNumber(row, "weight") ?? 0;
      const one = { id, priority: readNumber(row, "priority") ?? 0, weight: weight > 0 ? weight : undefined };
      byName.getOrInsertComputed(name, () => []).push(one);
    }
  }
  return new Map([...byName].flatMap(([name, all]) => rank(name, all, parts.groups)));
}

interface Ranked {
  readonly id: string;
  readonly priority: number;
  readonly weight: number | undefined;
}

/** Adds those of the highest priority to the group of the name. Returns the others as their fallbacks. */
function rank(
  name: string,
  all: readonly Ranked[],
  groups: Groups,
): readonly (readonly [string, readonly string[]])[] {
  const highest = Math.max(...all.map(({ priority }) => priority));
  const first = all.filter(({ priority }) => priority === highest);
  for (const { id, weight } of first) groups.add(name, id, weight);
  const later = all
    .filter(({ priority }) => priority !== highest)
    .toSorted((one, other) => other.priority - one.priority);
  const ids = [...new Set(later.map(({ id }) => id))];
  const withOthers = first.map(({ id }) => [id, ids.filter((other) => other !== id)] as const);
  return withOthers.filter(([, others]) => others.length > 0);
}

interface Served {
  readonly name: string;
  readonly id: string;
}

function readChannel(row: ForeignRow, parts: Parts): readonly Served[] {
  const { report, providers, types } = parts;
  const label = readText(row, "name") ?? `channel ${readNumber(row, "id") ?? ""}`;
  const type = readNumber(row, "type") ?? 0;
  const [vendor = `type ${type}`, provider, isWhole = false] = types[type] ?? [];
  const leave = (words: string) => {
    report.leave(null, `channel ${label}`, words);
    return [];
  };
  if (provider === undefined) return leave(`${vendor} has no provider here`);
  if (readNumber(row, "status") !== ENABLED) return leave("it is disabled");
  const models = splitList(readText(row, "models"), /,/);
  const mapping = readObject(row, "model_mapping");
  const place = placeChannel(row, provider, isWhole);
  const credentials = splitList(readText(row, "key"), /\n/).map((secret) => ({
    key: report.needSecret(nameKeyVariable(provider, place.address), secret, `the key of channel ${label}`),
  }));
  for (const field of ["param_override", "header_override", "setting"]) {
    const isGiven = Object.keys(readObject(row, field)).length > 0;
    if (isGiven)
      report.leave(null, `channel ${label}: ${field}`, "set providers.<name>.headers or the model's entry");
  }
  if (readText(row, "system_prompt") !== null)
    report.leave(null, `channel ${label}: system_prompt`, "clients set it");
  const served = models.flatMap((name) => {
    const real = asString(mapping[name]) ?? name;
    const found = { provider, ...place.server, name: real, model: {}, line: null };
    const ids = (credentials.length > 0 ? credentials : [null]).map((credential) =>
      providers.add({ ...found, credential }),
    );
    return [{ name, id: ids[0] ?? "" }];
  });
  const names = new Set(served.map(({ id }) => id.split("#")[0]));
  report.take(null, `channel ${label}`, `${[...names].join(", ")} with ${models.length} models`);
  return served;
}

/** Returns the channel's server, and the address that the operator gave, if it isn't the provider's own. */
function placeChannel(row: ForeignRow, provider: string, isWhole: boolean) {
  const given = readText(row, "base_url")?.replace(/\/+$/, "");
  const isOwn = provider === "Azure" || provider === "Ollama";
  if (given === undefined || OWN_ADDRESS.test(`${given}/`))
    return { address: undefined, server: { place: null, isOwn, fields: {} } };
  // The other gateway appends the version itself.
  const isVersioned = isWhole || provider === "Azure" || VERSIONED.test(given);
  const address = isVersioned ? given : `${given}/v1`;
  const platform = provider === "Azure" ? "azure" : undefined;
  const dialect = provider === "Azure" ? undefined : findServerDialect(provider);
  const version = asString(readObject(row, "config").api_version) ?? readText(row, "other");
  const api = provider === "Azure" ? (version ?? undefined) : undefined;
  const fields = omitUndefined({ platform, dialect, base_url: address, api });
  return { address, server: { place: given, isOwn, fields } };
}

/** Returns the parts that aren't empty, without spaces around them. */
export function splitList(text: string | null, separator: RegExp): readonly string[] {
  return (text ?? "")
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
