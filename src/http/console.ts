// The console's page at / and its files: named by their hash, compressed once, kept by browsers, closed to any other host.
import { Elysia } from "elysia";
import { Fault } from "../core/fault.ts";

/** A file of the console as it was bundled; `index.html` is the page, every other name holds a hash of the content. */
export interface ConsoleFile {
  readonly name: string;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

interface Served extends ConsoleFile {
  readonly type: string;
  readonly tag: string;
}

const PAGE = "index.html";
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};
/** Nothing but this gateway's own files runs, and nobody shows the page in a frame of theirs. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  vary: "accept-encoding",
};
/** A file under a hash is never another one. */
const FOR_GOOD = "public, max-age=31536000, immutable";

/** `load` is asked when the console is first looked at: whoever never opens it pays nothing for it. */
export function consoleRoutes(load: () => Promise<readonly ConsoleFile[]>) {
  let loading: Promise<ReadonlyMap<string, Served>> | null = null;
  const fileNamed = async (name: string) => {
    loading ??= load().then(byName);
    // What failed is tried again by the next who asks.
    loading.catch(() => {
      loading = null;
    });
    return (await loading).get(name);
  };
  return new Elysia()
    .get("/", async ({ request }) => answer(await fileNamed(PAGE), request, "no-cache"))
    .get("/console/*", async ({ request, params }) =>
      answer(await fileNamed(params["*"]), request, FOR_GOOD),
    );
}

function byName(files: readonly ConsoleFile[]): ReadonlyMap<string, Served> {
  return new Map(
    files.map((file): [string, Served] => {
      const type = TYPES[file.name.slice(file.name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      return [file.name, { ...file, type, tag: `W/"${Bun.hash(file.gzip).toString(36)}"` }];
    }),
  );
}

function answer(file: Served | undefined, request: Request, cacheControl: string): Response {
  if (!file) throw new Fault("unknown_url", "The console has no such file.");
  const headers = { ...HEADERS, "content-type": file.type, "cache-control": cacheControl, etag: file.tag };
  if (request.headers.get("if-none-match") === file.tag) return new Response(null, { status: 304, headers });
  const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (!takesGzip) return new Response(Bun.gunzipSync(file.gzip), { headers });
  return new Response(file.gzip, { headers: { ...headers, "content-encoding": "gzip" } });
}
