// The console at /, the manual and its Markdown at /docs, /docs/api, and /openapi.json, all of which work offline.
import { Elysia } from "elysia";
import { writeOpenApi } from "../openapi/document.ts";
import { describeRoute } from "../openapi/route-schema.ts";
import { fileServer, IMMUTABLE, type PageFile, REVALIDATE } from "./files.ts";
import type { RegisteredRoute } from "./paths.ts";

const PAGE = "index.html";
const describePage = (id: string, summary: string, answer: string) =>
  describeRoute("Pages", id, summary, answer);
/** Lets the playground play speech, which the page receives as data. */
const SOUND = "; media-src blob:";

export function consoleRoutes(load: () => Promise<readonly PageFile[]>) {
  const serve = fileServer(load, "There is no such file in the console.", SOUND);
  return (
    new Elysia()
      // Claude Code warms its connection with this request, once per start and without a key.
      .head(
        "/",
        () => new Response(null),
        describePage("probe", "Return nothing, for clients that open connections in advance", "Nothing."),
      )
      .get(
        "/",
        ({ request }) => serve(PAGE, request, REVALIDATE),
        describePage("console", "Get the console's page", "HTML."),
      )
      .get(
        "/console/*",
        ({ request, params }) => serve(params["*"], request, IMMUTABLE),
        describePage("consoleFile", "Get a file of the console", "The file."),
      )
  );
}

const FIRST_PAGE = "index.html";
const GUIDE_FOR_MODELS = "llms.txt";
const MANUAL_FOR_MODELS = "llms-full.txt";

/** `routes` returns the gateway's routes. They are described, and the plugin and pages loaded, at the first request. */
export function docsRoutes(
  load: () => Promise<readonly PageFile[]>,
  routes: () => readonly RegisteredRoute[],
  described: Parameters<typeof writeOpenApi>[1],
) {
  let document: Promise<() => Promise<Response>> | null = null;
  const serve = fileServer(load, "There is no such page in the manual. See /docs for its chapters.");
  return new Elysia()
    .get(
      "/openapi.json",
      async () => {
        document ??= import("../openapi/served.ts").then(({ serveOpenApi }) =>
          serveOpenApi(writeOpenApi(routes(), described)),
        );
        return (await document)();
      },
      describePage("openApi", "Get this document", "OpenAPI 3.0."),
    )
    .get(
      "/docs",
      ({ request }) => serve(FIRST_PAGE, request, REVALIDATE),
      describePage("manual", "Get the manual", "HTML."),
    )
    .get(
      "/docs/*",
      ({ request, params }) => serve(toFile(params["*"]), request, REVALIDATE),
      describePage(
        "manualPage",
        "Get a chapter of the manual, or a file that it uses",
        "HTML, Markdown, or the file.",
      ),
    )
    .get(
      "/llms.txt",
      ({ request }) => serve(GUIDE_FOR_MODELS, request, REVALIDATE),
      describePage("guideForModels", "Get a list of the manual's chapters, for language models", "Markdown."),
    )
    .get(
      "/llms-full.txt",
      ({ request }) => serve(MANUAL_FOR_MODELS, request, REVALIDATE),
      describePage("manualForModels", "Get the whole manual, for language models", "Markdown."),
    );
}

/** A chapter's page is served at its name, with or without a trailing slash, and every other file at its own. */
function toFile(path: string): string {
  return path.includes(".") ? path : `${path.replace(/\/$/, "")}.html`;
}
