// Requests that named vendors refuse, in their own words. The public reports of each stand in the file of sources.
import { asArray, asObject, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { SourcedRule } from "./sources.ts";

export interface VendorRule {
  readonly name: SourcedRule;
  readonly models: RegExp;
  /** `*` stands for the model. */
  readonly says: string;
  readonly refuses: (body: JsonObject, model: string) => boolean;
}

const KIMI = /^(kimi|moonshot)/;
const LM_STUDIO = /^lmstudio-/;
const GLM_OR_GPT_OSS = /^(zai-glm|gpt-oss)/;

export const VENDOR_RULES: readonly VendorRule[] = [
  {
    name: "xai-effort",
    models: /^grok-(4\.20-\d+-|build|code)/,
    says: "Model * does not support parameter reasoningEffort.",
    refuses: (body) => readEffort(body) !== undefined,
  },
  {
    name: "xai-effort-none",
    models: /^grok-4\.[5-7]/,
    says: "Model * does not support this value of reasoningEffort.",
    refuses: (body) => readEffort(body) === "none" || readEffort(body) === "max",
  },
  {
    name: "moonshot-names",
    models: KIMI,
    says: "function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes",
    refuses: (body) => listNames(body).some((name) => !/^[a-zA-Z][\w-]*$/.test(name)),
  },
  {
    name: "moonshot-references",
    models: KIMI,
    says: "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.r': conflicting keywords found after $ref expansion: description>",
    refuses: (body, model) => listSchemas(body).some((schema) => isRefused(schema, model)),
  },
  {
    name: "moonshot-types",
    models: KIMI,
    says: "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.view': type is not defined>",
    refuses: (body) => listSchemas(body).some(isUntyped),
  },
  {
    name: "moonshot-named-tool",
    models: /^kimi/,
    says: "tool_choice 'specified' is incompatible with thinking enabled",
    refuses: (body) => isThinking(body) && isObject(body.tool_choice),
  },
  {
    name: "moonshot-required-tool",
    models: /^kimi-k2/,
    says: "tool_choice 'required' is incompatible with thinking enabled",
    refuses: (body) => isThinking(body) && body.tool_choice === "required",
  },
  {
    name: "cerebras-parallel-calls",
    models: GLM_OR_GPT_OSS,
    says: "parallel_tool_calls=False is not supported by this model.",
    refuses: (body) => body.parallel_tool_calls === false,
  },
  {
    name: "cerebras-strict",
    models: GLM_OR_GPT_OSS,
    says: "Tools with strict=True are not supported by this model",
    refuses: (body) => listFunctions(body).some(({ strict }) => strict === true),
  },
  {
    name: "minimax-parameters",
    models: /^minimax/i,
    says: "invalid params, function parameters is empty (2013)",
    refuses: (body) =>
      listFunctions(body).some(({ parameters }) => Object.keys(asObject(parameters)).length === 0),
  },
  {
    name: "lmstudio-named-tool",
    models: LM_STUDIO,
    says: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
    refuses: (body) => isObject(body.tool_choice),
  },
  {
    name: "lmstudio-json",
    models: LM_STUDIO,
    says: "'response_format.type' must be 'json_schema' or 'text'",
    refuses: (body) => asObject(body.response_format).type === "json_object",
  },
];

/** Returns the words in which the model's vendor refuses the request, or null. */
export function findVendorRefusal(body: JsonObject, model: string): string | null {
  const rule = VENDOR_RULES.find(({ models, refuses }) => models.test(model) && refuses(body, model));
  return rule === undefined ? null : rule.says.replace("*", model);
}

/** Of either interface. */
function readEffort(body: JsonObject): unknown {
  return body.reasoning_effort ?? asObject(body.reasoning).effort;
}

function isThinking({ thinking }: JsonObject): boolean {
  return asObject(thinking).type !== "disabled";
}

function listFunctions({ tools }: JsonObject): readonly JsonObject[] {
  return asArray(tools).map((tool) => asObject(asObject(tool).function));
}

/** The names of tools, of their choice, and of calls in the history. */
function listNames(body: JsonObject): readonly string[] {
  const calls = asArray(body.messages).flatMap((message) => asArray(asObject(message).tool_calls));
  const named = [...calls, body.tool_choice].map((one) => asObject(asObject(one).function));
  return [...listFunctions(body), ...named].flatMap(({ name }) => (typeof name === "string" ? [name] : []));
}

function listSchemas(body: JsonObject): readonly JsonObject[] {
  return listFunctions(body).flatMap(({ parameters }) => listInner(asObject(parameters)));
}

/** A schema and those in it. */
function listInner(schema: JsonObject): readonly JsonObject[] {
  const { properties, $defs, items, anyOf } = schema;
  const inner = [
    ...Object.values(asObject(properties)),
    ...Object.values(asObject($defs)),
    items,
    ...asArray(anyOf),
  ];
  return [schema, ...inner.filter(isObject).flatMap(listInner)];
}

/** K3 refuses every reference, the others those with a keyword beside it. */
function isRefused(schema: JsonObject, model: string): boolean {
  return schema.$ref !== undefined && (model.startsWith("kimi-k3") || Object.keys(schema).length > 1);
}

function isUntyped({ type, enum: values, properties }: JsonObject): boolean {
  const hasUntyped = Object.values(asObject(properties)).some((property) => {
    const { type: own, anyOf, $ref } = asObject(property);
    return own === undefined && anyOf === undefined && $ref === undefined;
  });
  return hasUntyped || (values !== undefined && type === undefined);
}
