// /openapi.json and its page at /docs, which works with no network: its script and style come from the binary.
import { Elysia } from "elysia";
import { DOCS_PATH, DOCUMENT_PATH, SCRIPT_PATH, STYLE_PATH } from "./docs-paths.ts";

/** Compressed. */
export interface DocsFiles {
  readonly script: Uint8Array<ArrayBuffer>;
  readonly style: Uint8Array<ArrayBuffer>;
}

/** Elysia shows all routes of the gateway to its own kind alone. */
class Docs extends Elysia {
  allRoutes() {
    return this.getGlobalRoutes();
  }
}

/** The plugin that makes the page is loaded when somebody looks at it: it would be a tenth of the gateway's start. */
export function docsRoutes(load: () => DocsFiles) {
  const app = new Docs();
  let made: Promise<(request: Request) => Promise<Response>> | null = null;
  const page = async ({ request }: { readonly request: Request }) => {
    made ??= import("./docs-page.ts").then(({ docsPage }) => docsPage(() => app.allRoutes()));
    return (await made)(request);
  };
  let loaded: DocsFiles | null = null;
  const files = () => {
    loaded ??= load();
    return loaded;
  };
  return app
    .get(DOCS_PATH, page)
    .get(DOCUMENT_PATH, page)
    .get(SCRIPT_PATH, () => asset(files().script, "text/javascript"))
    .get(STYLE_PATH, () => asset(files().style, "text/css"));
}

function asset(body: Uint8Array<ArrayBuffer>, type: string): Response {
  const headers = {
    "content-type": `${type}; charset=utf-8`,
    "content-encoding": "gzip",
    "cache-control": "max-age=3600",
  };
  return new Response(body, { headers });
}
