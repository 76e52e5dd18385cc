// The OpenAPI document, built from the registered routes and their schemas.
import { asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { DESCRIPTIONS } from "../../surfaces/descriptions.ts";
import { SURFACES } from "../../surfaces/index.ts";
import { isShown, type RegisteredRoute } from "../serve/paths.ts";
import { toOpenApi } from "./form.ts";
import { NAMED } from "./named.ts";
import { describeParameter } from "./parameters.ts";
import { referTo } from "./refs.ts";
import { describeError, describeSurface, errorSchema } from "./surfaces.ts";

const DESCRIPTION =
  "One address, one key, every model. Point an OpenAI SDK at `{base_url}/v1`, name a model as `<Provider>#<model>`, or " +
  "let `Router#best`, `Router#fair` or `Router#light` choose. The routes under `/admin/v1` are the operator's.";

const securitySchemes = {
  key: { type: "http", scheme: "bearer", description: "The secret of a gateway key." },
  operator: { type: "http", scheme: "bearer", description: "The admin token." },
  session: { type: "apiKey", in: "cookie", name: "poundkey_session" },
};

/** The version of the API, which the specification sets. */
const API_VERSION = "1.0.0";

interface ServedDocument {
  /** The program's version. */
  readonly version: string;
  /** The path under which the gateway is reached. Empty for none. */
  readonly basePath?: string;
}

export function writeOpenApi(
  routes: readonly RegisteredRoute[],
  { version, basePath = "" }: ServedDocument,
): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes.filter(isShown)) {
    for (const [path, operation] of describeRoute(route)) {
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
    }
  }
  const info = {
    title: "Poundkey",
    version: API_VERSION,
    "x-program-version": version,
    description: DESCRIPTION,
  };
  const servers = basePath === "" ? {} : { servers: [{ url: basePath }] };
  const named = Object.fromEntries(
    Object.entries(NAMED).map(([name, schema]) => [name, toOpenApi({ ...schema })]),
  );
  const { paths: shown, schemas } = referTo({ ...named, Error: errorSchema }, paths);
  return { openapi: "3.0.3", info, ...servers, components: { schemas, securitySchemes }, paths: shown };
}

/** Other spellings of a path, and what only our own pages and the agents' sign-in ask for: it works, but isn't to be built on. */
const INTERNAL = { "x-internal": true };
const OWN_PAGES =
  /^\/($|assets|console|docs|favicon|auth\/|device|oauth\/|\.well-known|managed|hooks\/|models|responses|v1\/(v1|metrics|logs|traces)|v1\/v1)/;

type PathOperation = readonly [path: string, operation: JsonObject];

/** Returns one operation, or one per verb if the surface's path ends in verbs. */
function describeRoute(route: RegisteredRoute): readonly PathOperation[] {
  const { method, path } = route;
  const row = method === "POST" ? SURFACES.find((one) => one.path === path) : undefined;
  const parameters = listPathParameters(path);
  if (!row) return [[toTemplate(path), describeOther(route, parameters)]];
  const { docs } = row;
  const isAlias = typeof docs === "string";
  const origin = isAlias ? SURFACES.find((one) => one.path === docs)?.docs : docs;
  if (origin === undefined || typeof origin === "string") return [];
  return origin.map((id) => {
    const operation = { ...describeSurface(DESCRIPTIONS[id], isAlias ? docs : null), parameters };
    const verb = path.endsWith("*") ? `:${id}` : "";
    const operationId = isAlias ? `${id}${toName(path)}` : id;
    return [`${toTemplate(path)}${verb}`, { operationId, ...operation, ...(isAlias ? INTERNAL : {}) }];
  });
}

/** Describes a route by the schemas in its Elysia hooks and the texts in their `detail`. */
function describeOther({ method, path, hooks }: RegisteredRoute, inPath: readonly JsonObject[]): JsonObject {
  const { detail, query, body, response } = asObject(hooks);
  const texts = asObject(toOpenApi(detail));
  const parameters = [...inPath, ...listQueryParameters(query)];
  return {
    operationId: `${method.toLowerCase()}${toName(path)}`,
    ...(OWN_PAGES.test(path) ? INTERNAL : {}),
    security: findSecurity(path),
    ...texts,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: showJson(body) } }),
    responses: {
      ...describeAnswers(response),
      ...asObject(texts.responses),
      default: describeError("The request was refused or failed."),
    },
  };
}

/** Returns the answers by status. `response` is the schema of a 200, or a table of schemas by status. */
function describeAnswers(response: unknown): JsonObject {
  if (!isObject(response)) return {};
  const byStatus = "~standard" in response ? { 200: response } : response;
  const described: JsonObject = {};
  for (const [status, schema] of Object.entries(byStatus)) {
    described[status] = {
      description: asString(asObject(schema).description) ?? "Done.",
      content: showJson(schema),
    };
  }
  return described;
}

function showJson(schema: unknown): JsonObject {
  return { "application/json": { schema: toOpenApi(schema) } };
}

/** Paths under /admin need the operator. The API's paths need a key, with `/v1` or without. */
function findSecurity(path: string): readonly JsonObject[] {
  if (path.startsWith("/admin/")) return [{ operator: [] }, { session: [] }];
  return /^\/(v1|v1beta|models|responses)(\/|$)/.test(path) ? [{ key: [] }] : [];
}

/** Returns `/v1/keys/:id` and `/docs/*` in OpenAPI's notation. */
function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}").replace("*", "{id}");
}

function toName(path: string): string {
  const words = path.match(/\w+/g) ?? ["root"];
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("");
}

function listPathParameters(path: string): readonly JsonObject[] {
  return [...toTemplate(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    ...describeParameter(name ?? "", { type: "string" }),
  }));
}

function listQueryParameters(query: unknown): readonly JsonObject[] {
  const { properties, required } = asObject(query);
  return Object.entries(asObject(properties)).map(([name, schema]) => ({
    name,
    in: "query",
    required: Array.isArray(required) && required.includes(name),
    ...describeParameter(name, asObject(toOpenApi(schema))),
  }));
}
