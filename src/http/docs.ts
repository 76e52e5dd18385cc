// /openapi.json and its page at /docs, which works with no network: its script and style come from the binary.
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import style from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { modelPath } from "./openapi.ts";

/** The plugin's page loads one script, which finds the document's address in the element `api-reference`. */
const START = `
const at = document.getElementById("api-reference");
const page = document.body.appendChild(document.createElement("main"));
SwaggerUIBundle({ url: at.dataset.url, domNode: page, deepLinking: true, validatorUrl: null });
`;

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

export function docsRoutes() {
  const code = compressed(async () => (await Bun.file(script).text()) + START);
  const look = compressed(() => Bun.file(style).text());
  return new Elysia()
    .use(
      swagger({
        path: "/docs",
        specPath: "/openapi.json",
        excludeStaticFile: false,
        scalarCDN: "/docs/page.js",
        scalarConfig: { customCss: '@import url("/docs/page.css");' },
        documentation,
      }),
    )
    .get("/docs/page.js", async () => asset(await code(), "text/javascript"), { detail: { hide: true } })
    .get("/docs/page.css", async () => asset(await look(), "text/css"), { detail: { hide: true } });
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
