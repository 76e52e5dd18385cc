// Kinds of names for which the gateway has a table each: how a release's files name them, and whether a table has one.

import { FINISHES } from "../../src/dialects/_chat/choice.ts";
import { readCodeStatus } from "../../src/dialects/_chat/embedded-status.ts";
import { FINISH } from "../../src/dialects/anthropic/decode.ts";
import { REASONS } from "../../src/dialects/gemini/metadata.ts";
import { indexPaths } from "../../src/http/serve/paths.ts";
import { suggestPath } from "../../src/http/serve/unknown-url.ts";
import * as messages from "../../src/surfaces/anthropic-messages/known.ts";
import { VERBS } from "../../src/surfaces/gemini/surface.ts";
import * as responses from "../../src/surfaces/openai-responses/known.ts";
import { REGISTERED } from "../whole/world/registered.ts";
import { isKnownEvent } from "./events.ts";
import { readFiles } from "./files.ts";
import type { Package } from "./packages.ts";

export type KindName = "beta" | "tool" | "event" | "finish reason" | "error code" | "route";

interface Kind {
  /** Each expression's first group is a name, or a text whose literals are names. */
  readonly found: readonly RegExp[];
  readonly holdsLiterals?: true;
  readonly isKnown: (name: string) => boolean;
}

/** The router takes anything below these for a model's name, so they don't say that a path is served. */
const ANY_MODEL: ReadonlySet<string> = new Set(["/v1beta/:provider/*", "/v1beta/models/*"]);
const served = indexPaths(
  REGISTERED.filter(({ path }) => !ANY_MODEL.has(path)).map((route) => ({ ...route, hooks: {} })),
);

/** Verbs of Google's models at which the 404 lists those that are served. */
const OTHER_VERBS = [
  "predict",
  "predictLongRunning",
  "computeTokens",
  "batchGenerateContent",
  "asyncBatchEmbedContent",
];
/** Google's SDKs put the whole name of a thing in one place, as an earlier answer or a setting gave it. */
const NAMED_BEFORE = /^\{model\}$|^\{(name|models_url|operationName|resourceName|parent)\}/;
/** Dated names of models, settings and clouds, and an example in Claude Code's own help. */
const NO_BETA = /^(gpt|o\d|computer-use-preview|default|bedrock|vertex|foo)-/;
/** Edits of a context, which a beta lets pass, and tools of agents that the vendor runs. */
const NO_TOOL = /^(clear|compact|agent_toolset|multiagent)_/;

const KINDS: Readonly<Record<KindName, Kind>> = {
  beta: {
    found: [/["'`]([a-z][a-z0-9]*(?:-[a-z0-9]+)*-20\d\d-\d\d-\d\d)["'`]/g],
    isKnown: (name) => NO_BETA.test(name) || messages.BETAS.find(name) !== undefined,
  },
  tool: {
    found: [/\btype\??['"]?(?:: | = )(?:(?:Required\[)?Literal\[)?['"]([a-z_]+_20\d{6})['"]/g],
    isKnown: (name) =>
      NO_TOOL.test(name) || [messages.TOOLS, responses.TOOLS].some((table) => table.find(name) !== undefined),
  },
  event: {
    found: [
      /['"](response(?:\.[a-z_]+)+)['"]/g,
      /['"]([a-z_]+_delta|(?:message|content_block)_(?:start|stop))['"]/g,
    ],
    isKnown: isKnownEvent,
  },
  "finish reason": {
    found: [
      /\b(?:enum|class) (?:Finish|Blocked)Reason\b([\s\S]*?)(?=\n\}|\nclass )/g,
      /\bconst \w*FinishReason\w*: \{([\s\S]*?)\n\};/g,
      /\b(?:(?:Beta)?StopReason|finish_reason|stop_reason)(?:: TypeAlias)?\??(?: =|:) (Literal\[[^\]]*|['"][^;\n]*)/g,
    ],
    holdsLiterals: true,
    isKnown: (name) =>
      name.endsWith("_UNSPECIFIED") || [REASONS, FINISHES, FINISH].some((table) => table.has(name)),
  },
  "error code": {
    found: [
      /\binterface ResponseError \{([\s\S]*?)\n\}/g,
      /\bclass ResponseError\([\s\S]*?\bcode: Literal\[([^\]]*)/g,
      /\bconst (?:CodeEnum|ApiErrorType): \{([\s\S]*?)\n\};/g,
      /\binterface \w+(?<!Re(?:sult|quest))ErrorObject \{([\s\S]*?)\n\}/g,
      /\bclass (?!BetaManagedAgents)\w+(?<!Re(?:sult|quest))ErrorObject\([^[]*?\btype: Literal\[([^\]]*)/g,
    ],
    holdsLiterals: true,
    isKnown: (name) => readCodeStatus(name) !== undefined,
  },
  route: {
    found: [
      /_client\s*\.(?:get|post|put|patch|delete|getAPIList)\(\s*(?:\(0, [\w.]+\)|\w+)?\s*[`'"]([^`'"?]+)/g,
      /self\._(?:get|post|put|patch|delete|get_api_list)\(\s*(?:path_template\()?\s*"([^"?]+)"/g,
      /\bpathToFunc\("([^"]+)"\)/g,
      /\bformatMap\('([^'?]+)/g,
      /\bpath = '([^'?]+)'/g,
    ],
    isKnown: isKnownRoute,
  },
};

/** True for a path, as SDKs add it to their base URL, that is served, or whose 404 says what to do instead. */
function isKnownRoute(path: string): boolean {
  const verb = /^\{model\}:(\w+)/.exec(path)?.[1];
  if (verb !== undefined) return [...VERBS, ...OTHER_VERBS].includes(verb);
  if (NAMED_BEFORE.test(path)) return true;
  const filled = path
    .replace(/\{+api_version\}+/, "v1beta")
    .replace("{file_search_store_name}", "fileSearchStores/x")
    .replace(/\$?\{[^}]*\}/g, "x");
  const bare = filled.startsWith("/") ? filled : `/${filled}`;
  const whole = /^\/(v1(beta)?|upload)\//.test(bare) ? [bare] : [`/v1${bare}`, `/v1beta${bare}`];
  return whole.some((one) => served.findMethods(one).length > 0 || suggestPath(one, served) !== "");
}

/** Returns the names of each kind, as `kind: name`, for which no table has a row, sorted. The folder is the package's own. */
export function listUnlisted(
  { declarations, sources = [], kinds }: Package,
  folder: string,
): readonly string[] {
  const files = kinds.length === 0 ? [] : readFiles(folder, [...declarations, ...sources]);
  const text = files.map((file) => file.text).join("\n");
  return kinds.flatMap((kind) => {
    const names = new Set(listFound(KINDS[kind], text));
    return [...names]
      .filter((name) => !KINDS[kind].isKnown(name))
      .map((name) => `${kind}: ${name}`)
      .toSorted();
  });
}

function listFound({ found, holdsLiterals }: Kind, text: string): readonly string[] {
  const groups = found.flatMap((one) => [...text.matchAll(one)].flatMap(([, group]) => group ?? []));
  if (holdsLiterals !== true) return groups;
  return groups.flatMap((group) => [...group.matchAll(/['"](\w+)['"]/g)].flatMap(([, name]) => name ?? []));
}
