// The console's page at / and its files, which are named by their hash and kept by browsers.
import { Elysia } from "elysia";
import { fileServer, IMMUTABLE, type PageFile, REVALIDATE } from "./files.ts";
import { tell, tellAnswer } from "./route-schema.ts";

const PAGE = "index.html";
const TAG = "Pages";
/** The playground lets the operator listen to speech, which the page was sent as data. */
const SOUND = "; media-src blob:";

export function consoleRoutes(load: () => Promise<readonly PageFile[]>) {
  const serve = fileServer(load, "The console has no such file.", SOUND);
  return (
    new Elysia()
      // Claude Code warms its connection with it, once per start and without a key.
      .head(
        "/",
        () => new Response(null),
        tell(TAG, "probe", "Nothing, for clients that warm their connection", tellAnswer("Nothing.")),
      )
      .get(
        "/",
        ({ request }) => serve(PAGE, request, REVALIDATE),
        tell(TAG, "console", "The console's page", tellAnswer("HTML.")),
      )
      .get(
        "/console/*",
        ({ request, params }) => serve(params["*"], request, IMMUTABLE),
        tell(TAG, "consoleFile", "A file of the console's page", tellAnswer("The file.")),
      )
  );
}
