// Serves the OpenAPI document with Elysia's plugin.
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { JsonObject } from "../../core/json/json.ts";

const PATH = "/openapi.json";

/**
 * Returns the document's handler. The document is passed complete, because the plugin can't read Standard Schemas. The
 * plugin's own page loads scripts from other hosts, so no path leads to it.
 */
export function serveOpenApi(documentation: JsonObject): () => Promise<Response> {
  const app = new Elysia().use(swagger({ specPath: PATH, exclude: [/./], documentation }));
  // Uses a fixed URL, because a short Host header would make the plugin's router misread the path.
  return async () => app.handle(new Request(`http://localhost${PATH}`));
}
