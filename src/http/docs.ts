// /openapi.json and its page at /docs, which works with no network: its script and style come from the binary.
import { Elysia } from "elysia";
import style from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { DOCS_PATH, DOCUMENT_PATH, SCRIPT_PATH, STYLE_PATH } from "./docs-paths.ts";

/** The plugin's page loads one script, which finds the document's address in the element `api-reference`. */
const START = `
const at = document.getElementById("api-reference");
const page = document.body.appendChild(document.createElement("main"));
SwaggerUIBundle({ url: at.dataset.url, domNode: page, deepLinking: true, validatorUrl: null });
`;

const hidden = { detail: { hide: true } };

/** Elysia shows all routes of the gateway to its own kind alone. */
class Docs extends Elysia {
  allRoutes() {
    return this.getGlobalRoutes();
  }
}

/** The plugin that makes the page is loaded when somebody looks at it: it would be a tenth of the gateway's start. */
export function docsRoutes() {
  const app = new Docs();
  let made: Promise<(request: Request) => Promise<Response>> | null = null;
  const page = async ({ request }: { readonly request: Request }) => {
    made ??= import("./docs-page.ts").then(({ docsPage }) => docsPage(() => app.allRoutes()));
    return (await made)(request);
  };
  const code = compressed(async () => (await Bun.file(script).text()) + START);
  const look = compressed(() => Bun.file(style).text());
  return app
    .get(DOCS_PATH, page, hidden)
    .get(DOCUMENT_PATH, page, hidden)
    .get(SCRIPT_PATH, async () => asset(await code(), "text/javascript"), hidden)
    .get(STYLE_PATH, async () => asset(await look(), "text/css"), hidden);
}

/** Read and compressed when first asked for, then kept. */
function compressed(read: () => Promise<string>): () => Promise<Uint8Array<ArrayBuffer>> {
  let made: Promise<Uint8Array<ArrayBuffer>> | null = null;
  return () => {
    made ??= read().then((content) => Bun.gzipSync(content));
    return made;
  };
}

function asset(body: Uint8Array<ArrayBuffer>, type: string): Response {
  const headers = {
    "content-type": `${type}; charset=utf-8`,
    "content-encoding": "gzip",
    "cache-control": "max-age=3600",
  };
  return new Response(body, { headers });
}
