// The manual at /docs with its Markdown twins, the API's page at /docs/api, and /openapi.json. They work with no network.
import { Elysia } from "elysia";
import { fileServer, type PageFile, REVALIDATE } from "./files.ts";

const FIRST_PAGE = "index.html";
const GUIDE_FOR_MODELS = "llms.txt";

/** Elysia shows all routes of the gateway to its own kind alone. */
class Docs extends Elysia {
  allRoutes() {
    return this.getGlobalRoutes();
  }
}

/** `load` and the plugin that writes the document run at the first request: they would be a tenth of the gateway's start. */
export function docsRoutes(load: () => Promise<readonly PageFile[]>) {
  const app = new Docs();
  let made: Promise<() => Promise<Response>> | null = null;
  const document = async () => {
    made ??= import("./openapi-document.ts").then(({ openApiDocument }) =>
      openApiDocument(() => app.allRoutes()),
    );
    return (await made)();
  };
  const serve = fileServer(load, "The manual has no such page. Its chapters are listed at /docs.");
  return app
    .get("/openapi.json", document)
    .get("/docs", ({ request }) => serve(FIRST_PAGE, request, REVALIDATE))
    .get("/docs/*", ({ request, params }) => serve(toFile(params["*"]), request, REVALIDATE))
    .get("/llms.txt", ({ request }) => serve(GUIDE_FOR_MODELS, request, REVALIDATE));
}

/** A chapter's page is at its bare name, with one trailing slash or none; every other file at its own. */
function toFile(path: string): string {
  return path.includes(".") ? path : `${path.replace(/\/$/, "")}.html`;
}
