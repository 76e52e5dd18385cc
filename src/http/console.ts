// The console's page at / and its files, which are named by their hash and kept by browsers.
import { Elysia } from "elysia";
import { fileServer, IMMUTABLE, type PageFile, REVALIDATE } from "./files.ts";

const PAGE = "index.html";

export function consoleRoutes(load: () => Promise<readonly PageFile[]>) {
  const serve = fileServer(load, "The console has no such file.");
  return (
    new Elysia()
      // Claude Code warms its connection with it, once per start and without a key.
      .head("/", () => new Response(null))
      .get("/", ({ request }) => serve(PAGE, request, REVALIDATE))
      .get("/console/*", ({ request, params }) => serve(params["*"], request, IMMUTABLE))
  );
}
