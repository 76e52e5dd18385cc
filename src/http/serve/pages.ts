// The console at /, the manual and its Markdown at /docs, /docs/api, and /openapi.json, all of which work offline.
import { Elysia } from "elysia";
import { writeOpenApi } from "../openapi/document.ts";
import { describeRoute } from "../openapi/route-schema.ts";
import type { Peers } from "./client-address.ts";
import { type FillAddress, fileServer, IMMUTABLE, type PageFile, REVALIDATE } from "./files.ts";
import type { RegisteredRoute } from "./paths.ts";

const PAGE = "index.html";
const describePage = (id: string, summary: string, answer: string) =>
  describeRoute("Pages", id, summary, answer);
/** Lets the playground play speech, which the page receives as data. */
const SOUND = "; media-src blob:";

export function consoleRoutes(load: () => Promise<readonly PageFile[]>) {
  const serve = fileServer({ load, missing: "There is no such file in the console.", more: SOUND });
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
const MISSING_PAGE = "404.html";

interface DocsParts {
  readonly load: () => Promise<readonly PageFile[]>;
  readonly fill: FillAddress;
  /** Returns the gateway's address for the examples. Null for a made-up one. */
  readonly findAddress: (request: Request, server: Peers | null) => string | null;
  /** Returns the gateway's routes. They are described, and the plugin and pages loaded, at the first request. */
  readonly routes: () => readonly RegisteredRoute[];
  readonly described: Parameters<typeof writeOpenApi>[1];
}

export function docsRoutes({ load, fill, findAddress, routes, described }: DocsParts) {
  let document: Promise<() => Promise<Response>> | null = null;
  const missing = "There is no such page in the manual. See /docs for its chapters.";
  const serveFile = fileServer({ load, missing, missingPage: MISSING_PAGE, fill });
  const serve = (name: string, request: Request, server: Peers | null) =>
    serveFile(name, request, REVALIDATE, findAddress(request, server));
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
      ({ request, server }) => serve(FIRST_PAGE, request, server),
      describePage("manual", "Get the manual", "HTML."),
    )
    .get(
      "/docs/*",
      ({ request, server, params }) => serve(toFile(params["*"]), request, server),
      describePage(
        "manualPage",
        "Get a chapter of the manual, or a file that it uses",
        "HTML, Markdown, or the file.",
      ),
    )
    .get(
      "/llms.txt",
      ({ request, server }) => serve(GUIDE_FOR_MODELS, request, server),
      describePage("guideForModels", "Get a list of the manual's chapters, for language models", "Markdown."),
    )
    .get(
      "/llms-full.txt",
      ({ request, server }) => serve(MANUAL_FOR_MODELS, request, server),
      describePage("manualForModels", "Get the whole manual, for language models", "Markdown."),
    );
}

/** A chapter's page is served at its name, with or without a trailing slash, and every other file at its own. */
function toFile(path: string): string {
  return path.includes(".") ? path : `${path.replace(/\/$/, "")}.html`;
}
