// Portkey's configs: their targets as providers, groups and fallbacks.
import {
  asArray,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../core/json/json.ts";
import { type AwsKeys, type CloudPlace, hasProof, placeAzure, placeBedrock, placeVertex } from "./clouds.ts";
import { Fields, type Reasons } from "./fields.ts";
import { readForeign } from "./foreign-text.ts";
import { Groups } from "./groups.ts";
import type { SourceFile } from "./litellm/config.ts";
import type { PlannedConfig } from "./plan.ts";
import { type ImportedDeployment, Providers } from "./providers.ts";
import { CACHE, HOOKS, type Report } from "./report.ts";
import { addSeparately, type NamedDeployment } from "./separate.ts";
import {
  findMeant,
  findProvider,
  findServerDialect,
  isBesideAzure,
  isProviderAddress,
  nameKeyVariable,
  splitAddress,
} from "./servers.ts";

/** Portkey's names of providers that differ from those here. */
const NAMES: Readonly<Record<string, string>> = { dashscope: "Qwen", zhipu: "ZAI" };
/** Fields of a config or target, with the reason why they have no place here. */
const LEFT: Reasons = {
  cache: CACHE,
  request_timeout: "set providers.<name>.timeouts",
  before_request_hooks: HOOKS,
  after_request_hooks: HOOKS,
  input_guardrails: HOOKS,
  output_guardrails: HOOKS,
  forward_headers: "clients' headers aren't forwarded",
  prompt_id: "there are no templates of prompts",
  openai_organization: "set providers.<name>.headers: { OpenAI-Organization: … }",
  openai_project: "set providers.<name>.headers: { OpenAI-Project: … }",
  aws_role_arn: "roles are not assumed: use keys, or the container's own",
};
/** The paths that Portkey appends to a host. */
const APPENDED: Readonly<Record<string, string>> = { Google: "/v1beta", Ollama: "/v1" };
const DEPTH_MAX = 8;
const ALIAS = "portkey";

interface TargetMember {
  readonly target: ImportedDeployment;
  readonly weight: number | undefined;
  /** Those that follow if it fails. */
  readonly fallbacks: readonly ImportedDeployment[];
}

/** The targets that share the load. */
type MemberChoice = readonly TargetMember[];

const NOTHING: MemberChoice = [];

type At = readonly (string | number)[];

interface PortkeyParts {
  readonly file: SourceFile;
  readonly report: Report;
  /** Each target with its name in the report. */
  readonly targets: Map<ImportedDeployment, string>;
}

/** One config, or several by their names. */
export function readPortkey(given: SourceFile, report: Report): PlannedConfig {
  const file = { ...given, value: readForeign(given.value, report) };
  const providers = new Providers();
  const parts: PortkeyParts = { file, report, targets: new Map() };
  const configs = listConfigs(file.value);
  if (configs.length === 0)
    report.leave(null, "configs", "the file has none: a config has a provider or targets");
  const named = configs.map(([name, node, at]) => {
    const members = readNode(node, at, parts);
    const line = file.findLine(at);
    if (members.length > 0) report.take(line, `config ${name}`, `alias ${name}`);
    else report.leave(line, `config ${name}`, "none of its targets has a model here");
    return { name, members };
  });
  const { groups, models } = placeTargets(named, providers, parts);
  const aliases = providers.listAliases(groups, report);
  providers.report(report);
  return { providers: providers.list(), models, aliases };
}

interface NamedChoice {
  readonly name: string;
  readonly members: MemberChoice;
}

/** Returns the aliases, and the models' fallbacks. */
function placeTargets(
  configs: readonly NamedChoice[],
  providers: Providers,
  { targets, report }: PortkeyParts,
) {
  const named = configs.flatMap(({ name, members }): readonly NamedDeployment[] => {
    const later = [...new Set(members.flatMap(({ fallbacks }) => fallbacks))];
    return [
      ...members.map(({ target, fallbacks }) => {
        const next = JSON.stringify(fallbacks.map(describeTarget));
        return { name, rank: "first", next, deployment: target };
      }),
      ...later.map((deployment, at) => ({ name, rank: String(at), next: null, deployment })),
    ];
  });
  const added = addSeparately(providers, named);
  const ids = new Map(named.map(({ deployment }, at) => [deployment, added[at] ?? ""]));
  for (const [target, item] of targets) {
    const id = ids.get(target);
    if (id !== undefined) report.take(target.line, item, id);
    else report.leave(target.line, item, "its weight is 0, so it was never called");
  }
  const groups = new Groups();
  const models = new Map<string, { readonly fallbacks: readonly string[] }>();
  for (const { name, members } of configs) {
    for (const { target, weight, fallbacks } of members) {
      const id = ids.get(target) ?? "";
      groups.add(name, id, weight);
      const others = new Set(fallbacks.map((one) => ids.get(one) ?? ""));
      others.delete(id);
      if (others.size > 0) models.set(id, { fallbacks: [...others] });
    }
  }
  return { groups, models: Object.fromEntries(models) };
}

function describeTarget({ provider, place, name, credential }: ImportedDeployment): unknown {
  return [provider, place, name, credential?.key];
}

function listConfigs(value: unknown): readonly (readonly [string, JsonObject, At])[] {
  const root = asObject(value);
  if ("strategy" in root || "targets" in root || "provider" in root || "virtual_key" in root)
    return [[asString(root.name) ?? ALIAS, root, []]];
  return Object.entries(root).flatMap(([name, node]) =>
    isObject(node) ? [[name, node, [name]] as const] : [],
  );
}

function readNode(node: JsonObject, at: At, parts: PortkeyParts): MemberChoice {
  const fields = new Fields(node);
  const choice = readChoice(fields, at, parts);
  const { file, report } = parts;
  for (const field of fields.listUnread())
    report.leave(file.findLine([...at, field]), field, LEFT[field] ?? "it has no counterpart");
  return choice;
}

function readChoice(node: Fields, at: At, parts: PortkeyParts): MemberChoice {
  const { file, report } = parts;
  node.take("name");
  if (node.take("retry") !== undefined)
    report.take(file.findLine([...at, "retry"]), "retry", "failover is built in: up to four attempts");
  const targets = asArray(node.take("targets")).map(asObject);
  if (targets.length === 0) return readTarget(node, at, parts);
  if (at.length > DEPTH_MAX) return NOTHING;
  const strategy = asObject(node.take("strategy"));
  const mode = asString(strategy.mode) ?? "single";
  const line = file.findLine([...at, "strategy"]);
  if (mode === "conditional") {
    report.leave(line, "strategy conditional", "choose with a selector, or an alias for each case");
    return NOTHING;
  }
  if (strategy.on_status_codes !== undefined)
    report.leave(line, "on_status_codes", "the failures that lead to the next model are fixed");
  // The weight of several targets together.
  node.take("weight");
  const called = strategy.mode === "single" ? targets.slice(0, 1) : targets;
  if (called.length < targets.length)
    report.leave(line, "strategy single", "only its first target was called");
  const choices = called.map((target, index) => readNode(target, [...at, "targets", index], parts));
  if (mode === "loadbalance") return share(choices, targets);
  const [first = NOTHING, ...others] = choices.filter((members) => members.length > 0);
  if (others.some((members) => members.length > 1))
    report.leave(line, "weights of fallbacks", "fallbacks follow each other in their order");
  return follow(first, others);
}

function share(choices: readonly MemberChoice[], targets: readonly JsonObject[]): MemberChoice {
  const members = choices.flatMap((choice, index) => {
    const weight = asNumber(targets[index]?.weight);
    return choice.map((member) => ({ ...member, weight: weight ?? member.weight }));
  });
  return members.filter(({ weight }) => weight === undefined || weight > 0);
}

function follow(first: MemberChoice, others: readonly MemberChoice[]): MemberChoice {
  const later = others.flat().flatMap(({ target, fallbacks }) => [target, ...fallbacks]);
  return first.map((member) => ({ ...member, fallbacks: [...member.fallbacks, ...later] }));
}

function readTarget(node: Fields, at: At, { file, report, targets }: PortkeyParts): MemberChoice {
  const line = file.findLine(at);
  const { model: asModel, ...others } = asObject(node.take("override_params"));
  // A model of Portkey's catalogue names its provider: `@openai-prod/gpt-5.4`.
  const [, catalogued, plain = asString(asModel)] = /^(@[^/]+)\/(.+)$/.exec(asString(asModel) ?? "") ?? [];
  const asked = node.takeText("provider") ?? node.takeText("virtual_key") ?? catalogued ?? "";
  const item = `target ${asked}`;
  const { provider, address, deployment } = findServer(node, asked);
  const leave = (words: string) => {
    report.leave(line, item, words);
    node.skip();
    return NOTHING;
  };
  if (provider === undefined) return leave("its provider isn't known: name it, as in provider: openai");
  const model = nameModel(provider, plain) || deployment;
  if (model === undefined) return leave("it names no model: add override_params.model");
  for (const field of Object.keys(others))
    report.leave(file.findLine([...at, "override_params", field]), `${item}: ${field}`, "clients set it");
  const { place, isOwn, fields } = placeTarget(node, provider, address, report);
  const isKeyless = hasProof(fields) || provider === "Ollama" || provider === "Vertex";
  if (provider === "Vertex" && node.take("api_key") !== undefined)
    report.leave(line, `${item}: api_key`, "tokens end: use the account's key file");
  const target: ImportedDeployment = {
    provider,
    place,
    isOwn,
    fields,
    name: model,
    line,
    model: omitUndefined({ deployment: deployment === model ? undefined : deployment }),
    credential: isKeyless ? null : readKey(node, { asked, provider, address }, report),
  };
  targets.set(target, item);
  return [{ target, weight: node.takeNumber("weight"), fallbacks: [] }];
}

interface ProviderMatch {
  /** Undefined if it isn't known here. */
  readonly provider: string | undefined;
  /** Undefined for the provider's own. */
  readonly address?: string | undefined;
  /** Azure's. */
  readonly deployment?: string | undefined;
}

/** Servers of single models on Azure speak OpenAI's dialect. */
function findServer(node: Fields, asked: string): ProviderMatch {
  const foundry = node.takeText("azure_foundry_url");
  const host = (node.takeText("custom_host") ?? foundry)?.replace(/\/+$/, "");
  const named = findNamed(asked);
  if (named === undefined) return { provider: named };
  if (foundry !== undefined && isBesideAzure(foundry)) return { provider: "OpenAI", address: host };
  const provider = findMeant(named, host);
  if (provider !== "Azure")
    return { provider, address: host !== undefined && isProviderAddress(provider, host) ? undefined : host };
  const split = host === undefined ? undefined : splitAddress(host, true);
  const deployment = node.takeText("deployment_id") ?? split?.deployment;
  return { provider, address: split?.address, deployment };
}

/** Portkey's names of models on Vertex AI begin with their publisher. */
function nameModel(provider: string, model: string | undefined): string | undefined {
  if (provider !== "Vertex") return model;
  return model?.replace(/^(google|anthropic)\./, "").replace(/^meta\./, "meta/");
}

interface PortkeyTarget {
  /** The provider as the target names it. */
  readonly asked: string;
  readonly provider: string;
  readonly address: string | undefined;
}

/** Each of Portkey's virtual keys and integrations has a key of its own. */
function readKey(node: Fields, { asked, provider, address }: PortkeyTarget, report: Report) {
  const variable = nameKeyVariable(provider, address);
  const secret = node.takeText("api_key");
  const use = `the key of ${provider}`;
  const isKept = node.has("virtual_key") || asked.startsWith("@");
  const need = () =>
    isKept ? report.needKept(variable, asked.replace(/^@/, ""), use) : report.need(variable, use);
  return {
    key: secret === undefined ? need() : report.needSecret(variable, secret, use),
    weight: node.takeNumber("weight"),
  };
}

function placeTarget(
  node: Fields,
  provider: string,
  address: string | undefined,
  report: Report,
): CloudPlace {
  const base_url = address;
  if (provider === "Azure") {
    const resource = base_url === undefined ? node.takeText("resource_name") : undefined;
    node.take("azure_api_version");
    const parts = { base_url, resource, api: node.takeText("api_version") };
    return placeAzure(parts, "the address of Azure", report);
  }
  if (provider === "Bedrock")
    return placeBedrock({ base_url, region: node.takeText("aws_region"), aws: readAws(node, report) });
  if (provider === "Vertex") {
    const account = node.take("vertex_service_account_json");
    if (account === undefined)
      report.need("GOOGLE_APPLICATION_CREDENTIALS", "the path of the key file of Vertex");
    return placeVertex({
      project: node.takeText("vertex_project_id"),
      location: node.takeText("vertex_region"),
      service_account:
        account === undefined
          ? undefined
          : report.needSecret("VERTEX_CREDENTIALS", JSON.stringify(account), "the key of Vertex"),
    });
  }
  if (base_url === undefined) return { place: null, isOwn: provider === "Ollama", fields: {} };
  const fields = { base_url: `${base_url}${APPENDED[provider] ?? ""}`, dialect: findServerDialect(provider) };
  return { place: base_url, isOwn: provider === "Ollama", fields };
}

function readAws(node: Fields, report: Report): AwsKeys | undefined {
  if (!node.has("aws_access_key_id") || !node.has("aws_secret_access_key")) return undefined;
  const read = (name: string) =>
    report.needSecret(name.toUpperCase(), node.takeText(name) ?? "", `${name} of Bedrock`);
  return {
    access_key_id: read("aws_access_key_id"),
    secret_access_key: read("aws_secret_access_key"),
    session_token: node.has("aws_session_token") ? read("aws_session_token") : undefined,
  };
}

/** Virtual keys and integrations are mostly named after their provider: `@openai-prod`. */
function findNamed(asked: string): string | undefined {
  const words = asked.replace(/^@/, "").toLowerCase().split("-");
  for (let count = words.length; count > 0; count--) {
    const found = findProvider(words.slice(0, count).join("-"), NAMES);
    if (found !== undefined) return found;
  }
  return undefined;
}
