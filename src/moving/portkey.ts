// Portkey's configs: their targets as providers, groups and fallbacks.
import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../core/json.ts";
import { Groups } from "./groups.ts";
import type { SourceFile } from "./litellm/config.ts";
import type { PlannedConfig } from "./plan.ts";
import { Providers } from "./providers.ts";
import type { Report } from "./report.ts";
import { findProvider, findServerDialect, nameKeyVariable } from "./servers.ts";

/** Portkey's names of providers that differ from those here. */
const NAMES: Readonly<Record<string, string>> = { dashscope: "Qwen", zhipu: "ZAI" };
/** Fields of a config or target, with the reason why they have no place here. */
const LEFT: Readonly<Record<string, string>> = {
  cache: "there is no cache of answers",
  request_timeout: "set providers.<name>.timeouts",
  before_request_hooks: "only Bedrock's guardrails: providers.<name>.guardrail",
  after_request_hooks: "only Bedrock's guardrails: providers.<name>.guardrail",
  input_guardrails: "only Bedrock's guardrails: providers.<name>.guardrail",
  output_guardrails: "only Bedrock's guardrails: providers.<name>.guardrail",
  forward_headers: "clients' headers aren't forwarded",
  prompt_id: "there are no templates of prompts",
};
const DEPTH_MAX = 8;
const ALIAS = "portkey";

interface Member {
  readonly id: string;
  readonly weight: number | undefined;
}

/** The models that share the load, and those that follow if they fail. */
interface Choice {
  readonly members: readonly Member[];
  readonly fallbacks: readonly string[];
}

const NOTHING: Choice = { members: [], fallbacks: [] };

type At = readonly (string | number)[];

interface Parts {
  readonly file: SourceFile;
  readonly report: Report;
  readonly providers: Providers;
}

/** One config, or several by their names. */
export function readPortkey(file: SourceFile, report: Report): PlannedConfig {
  const [providers, groups] = [new Providers(), new Groups()];
  const models = new Map<string, { readonly fallbacks: readonly string[] }>();
  for (const [name, node, at] of listConfigs(file.value)) {
    const { members, fallbacks } = readNode(node, at, { file, report, providers });
    for (const { id, weight } of members) {
      groups.add(name, id, weight);
      const others = fallbacks.filter((other) => other !== id);
      if (others.length > 0) models.set(id, { fallbacks: [...new Set(others)] });
    }
    const line = file.findLine(at);
    if (members.length > 0) report.take(line, `config ${name}`, `alias ${name}`);
    else report.leave(line, `config ${name}`, "none of its targets has a model here");
  }
  const aliases = providers.listAliases(groups, report);
  providers.reportUnpriced(report);
  return { providers: providers.list(), models: Object.fromEntries(models), aliases };
}

function listConfigs(value: unknown): readonly (readonly [string, JsonObject, At])[] {
  const root = asObject(value);
  if ("strategy" in root || "targets" in root || "provider" in root || "virtual_key" in root)
    return [[asString(root.name) ?? ALIAS, root, []]];
  return Object.entries(root).flatMap(([name, node]) =>
    isObject(node) ? [[name, node, [name]] as const] : [],
  );
}

function readNode(node: JsonObject, at: At, parts: Parts): Choice {
  const { file, report } = parts;
  for (const field of Object.keys(node)) {
    const reason = LEFT[field];
    if (reason !== undefined) report.leave(file.findLine([...at, field]), field, reason);
  }
  if (node.retry !== undefined)
    report.take(file.findLine([...at, "retry"]), "retry", "failover is built in: up to four attempts");
  const targets = asArray(node.targets).map(asObject);
  if (targets.length === 0) return readTarget(node, at, parts);
  if (at.length > DEPTH_MAX) return NOTHING;
  const mode = asString(asObject(node.strategy).mode) ?? "single";
  const line = file.findLine([...at, "strategy"]);
  if (mode === "conditional") {
    report.leave(line, "strategy conditional", "choose with a selector, or an alias for each case");
    return NOTHING;
  }
  if (asObject(node.strategy).on_status_codes !== undefined)
    report.leave(line, "on_status_codes", "the failures that lead to the next model are fixed");
  const choices = targets.map((target, index) => readNode(target, [...at, "targets", index], parts));
  return mode === "loadbalance" ? share(choices, targets) : follow(choices);
}

function share(choices: readonly Choice[], targets: readonly JsonObject[]): Choice {
  const members = choices.flatMap((choice, index) => {
    const weight = asNumber(targets[index]?.weight);
    return choice.members.map((member) => ({ ...member, weight: weight ?? member.weight }));
  });
  return {
    members: members.filter(({ weight }) => weight === undefined || weight > 0),
    fallbacks: choices.flatMap(({ fallbacks }) => fallbacks),
  };
}

function follow(choices: readonly Choice[]): Choice {
  const [first = NOTHING, ...others] = choices.filter(({ members }) => members.length > 0);
  const later = others.flatMap(({ members, fallbacks }) => [...members.map(({ id }) => id), ...fallbacks]);
  return { members: first.members, fallbacks: [...first.fallbacks, ...later] };
}

function readTarget(node: JsonObject, at: At, { file, report, providers }: Parts): Choice {
  const line = file.findLine(at);
  const asked = asString(node.provider) ?? asString(node.virtual_key) ?? "";
  const item = `target ${asked}`;
  const provider = findNamed(asked);
  const leave = (words: string) => {
    report.leave(line, item, words);
    return NOTHING;
  };
  if (provider === undefined) return leave("its provider isn't known: name it, as in provider: openai");
  const model = asString(asObject(node.override_params).model);
  if (model === undefined || model === "") return leave("it names no model: add override_params.model");
  const address = asString(node.custom_host)?.replace(/\/+$/, "");
  const variable = nameKeyVariable(provider, address);
  const secret = asString(node.api_key);
  const use = `the key of ${provider}`;
  if (secret === undefined) report.need(variable, use);
  const key = secret === undefined ? `\${${variable}}` : report.needSecret(variable, secret, use);
  const id = providers.add({
    provider,
    place: address ?? null,
    isOwn: provider === "Ollama",
    fields: address === undefined ? {} : { base_url: address, dialect: findServerDialect(provider) },
    name: model,
    model: {},
    credential: provider === "Ollama" ? null : { key },
    line,
  });
  report.take(line, item, id);
  return { members: [{ id, weight: asNumber(node.weight) }], fallbacks: [] };
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
