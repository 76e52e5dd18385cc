// Serves the OpenAPI document by Elysia's plugin.
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { JsonObject } from "../core/json.ts";

const PATH = "/openapi.json";

/**
 * Returns the handler of the document. It comes whole: the plugin can't read the routes' schemas, which are Standard Schemas.
 * Its own page loads scripts from other hosts, so no path leads to it.
 */
export function serveOpenApi(documentation: JsonObject): () => Promise<Response> {
  const app = new Elysia().use(swagger({ specPath: PATH, exclude: [/./], documentation }));
  // A request of our own: the plugin's router would look for the path in the wrong place behind a short Host header.
  return async () => app.handle(new Request(`http://localhost${PATH}`));
}
