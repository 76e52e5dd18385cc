// A path is served only as it is spelled: Bun resolves `..` and turns `\` into `/` before our code sees a URL, a proxy in front doesn't.
import { Fault } from "../core/fault.ts";
import { asObject } from "../core/json.ts";
import { type FindMethods, findPath, isForOperators } from "./paths.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** No route of ours has more segments than a model's id with slashes; a longer target leads nowhere. */
const SEGMENTS_MAX = 16;

/** Requests whose target leads elsewhere than their URL says, though none of its segments shows it. */
const misspelled = new WeakSet<Request>();

/** The refusal of a target that is not spelled as the path it is resolved to. */
export function refuseSpelling(request: Request, findMethods: FindMethods): Fault | null {
  if (!misspelled.has(request) && listSegments(request).every(isPlain)) return null;
  const path = findPath(request.url);
  if (isForOperators(path)) return new Fault("unknown_url", "Unknown request URL.");
  const message = `Unknown request URL.${hintAt(path, findMethods)} Spell it without '.', '..', '\\' or '//'.`;
  return new Fault("unknown_url", message);
}

/** The segments that Bun's router took out of the raw target, decoded: those that its pattern leaves open. */
function listSegments(request: Request): readonly unknown[] {
  return "params" in request ? Object.values(asObject(request.params)) : [];
}

function isPlain(segment: unknown): boolean {
  return typeof segment === "string" && segment !== "." && segment !== ".." && !segment.includes("\\");
}

/**
 * Routes for Bun's own router, which goes by the raw target and nowhere else shows it. Elysia registers its plain paths
 * there; all other targets come by these, whose patterns are nothing but segments. So `/x\..\admin/v1/keys` is seen to be
 * one segment, or three with a `..` among them, and not the path of three that its URL says: a proxy that denies `/admin`
 * would have let it through.
 */
export function rawRoutes(answer: Answer): Record<string, Answer> {
  const routes: Record<string, Answer> = { "/*": answerIf(answer, ({ path }) => path === "/") };
  let pattern = "";
  for (let count = 1; count <= SEGMENTS_MAX; count++) {
    pattern += `/:segment${count}`;
    routes[pattern] = answerIf(answer, ({ resolved }) => resolved.length === count);
    // No segment is empty, so these match a trailing slash; what else they match is resolved to more or less than that.
    routes[`${pattern}/*`] = answerIf(
      answer,
      ({ path, resolved }) =>
        resolved.length === count + 1 && resolved[count] === "" && !isForOperators(path),
    );
  }
  return routes;
}

interface Target {
  readonly path: string;
  /** Its segments, once resolved. */
  readonly resolved: readonly string[];
}

function answerIf(answer: Answer, isSpelled: (target: Target) => boolean): Answer {
  return (request) => {
    const path = findPath(request.url);
    if (!isSpelled({ path, resolved: path.slice(1).split("/") })) misspelled.add(request);
    return answer(request);
  };
}

const SHOWN_CHARACTERS_MAX = 100;

/** Addresses of other APIs than the gateway's, as vendors' SDKs make them, each with what to do in its place. */
const FOREIGN: readonly (readonly [paths: RegExp, hint: string])[] = [
  [
    /^(\/v1)?\/(openai\/(v1\/)?)?deployments\/[^/]+\/.|^(\/v1)?\/openai\/(v1\/)?./,
    " That is an address of Azure's. Use the SDK's class OpenAI in place of AzureOpenAI, with this gateway's /v1 as its base URL and a model such as 'Azure#gpt-5.4'.",
  ],
  [
    /^\/v[12]\/(embed|chat|generate|classify|tokenize|detokenize)$/,
    " That is an address of Cohere's API, of which only rerank is served. Embeddings are at /v1/embeddings, chat at /v1/chat/completions, in OpenAI's form.",
  ],
  [
    /^\/v1\/(multimodal|contextualized)embeddings$/,
    " That is an address of Voyage's. Embeddings of texts are at /v1/embeddings.",
  ],
];

/** A question that names the path that was probably meant: without doubled slashes, with one `/v1`; empty: none of ours. */
export function hintAt(path: string, findMethods: FindMethods): string {
  const tidy = path.replace(/[\\/]+/g, "/").replace(/(?<=.)\/$/, "");
  const foreign = FOREIGN.find(([paths]) => paths.test(tidy));
  if (foreign) return foreign[1];
  const bare = tidy.replace(/^(\/v1)+(?=\/|$)/, "");
  const meant = [tidy, `/v1${bare}`, bare].find((one) => findMethods(one).length > 0);
  return meant === undefined ? "" : ` Did you mean ${meant.slice(0, SHOWN_CHARACTERS_MAX)}?`;
}
