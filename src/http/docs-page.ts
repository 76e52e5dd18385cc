// The document of the API and its page, as @elysiajs/swagger makes them of the gateway's routes.
import { swagger } from "@elysiajs/swagger";
import { Elysia, type InternalRoute } from "elysia";
import { DOCS_PATH, DOCUMENT_PATH, SCRIPT_PATH, STYLE_PATH } from "./docs-paths.ts";
import { DETAILS, modelPath } from "./openapi.ts";
import { ROUTE_DETAILS } from "./openapi-route.ts";

const documentation = {
  info: {
    title: "Poundkey",
    version: "1.0.0",
    description:
      "One address, one key, every model. Point an OpenAI SDK at `{base_url}/v1`, name a model as `<Provider>#<model>`, or let `Router#best`, `Router#fair` or `Router#light` choose.",
  },
  components: { securitySchemes: { key: { type: "http" as const, scheme: "bearer" } } },
  paths: modelPath,
};

/** Stands in the gateway's place: the plugin describes the routes of whoever uses it. */
class Described extends Elysia {
  readonly #routes: () => InternalRoute[];

  constructor(routes: () => InternalRoute[]) {
    super();
    this.#routes = routes;
  }

  protected override getGlobalRoutes(): InternalRoute[] {
    return this.#routes().flatMap((route) => {
      const name = `${route.method} ${route.path}`;
      const detail = DETAILS[name] ?? ROUTE_DETAILS[name];
      return detail === undefined ? [] : [{ ...route, hooks: { ...route.hooks, detail } }];
    });
  }
}

/** Answers for the document and its page; `routes` gives the gateway's. */
export function docsPage(routes: () => InternalRoute[]): (request: Request) => Promise<Response> {
  const page = swagger({
    path: DOCS_PATH,
    specPath: DOCUMENT_PATH,
    excludeStaticFile: false,
    scalarCDN: SCRIPT_PATH,
    scalarConfig: { customCss: `@import url("${STYLE_PATH}");` },
    documentation,
  });
  const app = new Described(routes).use(page);
  return async (request) => app.handle(request);
}
