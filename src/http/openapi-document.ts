// The OpenAPI document, as @elysiajs/swagger writes it from the gateway's routes.
import { swagger } from "@elysiajs/swagger";
import { Elysia, type InternalRoute } from "elysia";
import { DETAILS, modelPath } from "./openapi.ts";
import { OPERATION_DETAILS } from "./openapi-operations.ts";
import { ROUTE_DETAILS } from "./openapi-route.ts";
import { SURFACE_DETAILS, surfacePaths } from "./openapi-surfaces.ts";

const PATH = "/openapi.json";

const documentation = {
  info: {
    title: "Poundkey",
    version: "1.0.0",
    description:
      "One address, one key, every model. Point an OpenAI SDK at `{base_url}/v1`, name a model as `<Provider>#<model>`, or let `Router#best`, `Router#fair` or `Router#light` choose.",
  },
  components: { securitySchemes: { key: { type: "http" as const, scheme: "bearer" } } },
  paths: { ...modelPath, ...surfacePaths },
};

/** Stands in for the gateway: the plugin describes the routes of the application that uses it. */
class Described extends Elysia {
  readonly #routes: () => InternalRoute[];

  constructor(routes: () => InternalRoute[]) {
    super();
    this.#routes = routes;
  }

  protected override getGlobalRoutes(): InternalRoute[] {
    return this.#routes().flatMap((route) => {
      const name = `${route.method} ${route.path}`;
      const detail = DETAILS[name] ?? ROUTE_DETAILS[name] ?? SURFACE_DETAILS[name] ?? OPERATION_DETAILS[name];
      return detail === undefined ? [] : [{ ...route, hooks: { ...route.hooks, detail } }];
    });
  }
}

/** Makes the handler that serves the document; `routes` are the gateway's. The plugin's own page loads scripts from other hosts, so no path leads to it. */
export function openApiDocument(routes: () => InternalRoute[]): () => Promise<Response> {
  const app = new Described(routes).use(swagger({ specPath: PATH, excludeStaticFile: false, documentation }));
  // A request of our own: the plugin's router would look for the path in the wrong place behind a short Host header.
  return async () => app.handle(new Request(`http://localhost${PATH}`));
}
