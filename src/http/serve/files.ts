// Files for browsers: compressed once, revalidated by ETag, and closed to foreign scripts, frames and data.
import { Fault } from "../../core/fault.ts";

/** A built file. Its name may contain any characters, as it is never used as a path on disk. */
export interface PageFile {
  readonly name: string;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

interface ServedFile extends PageFile {
  readonly type: string;
  readonly tag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
};
/** Only this gateway's own files run, and no other site can show a page in a frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  vary: "accept-encoding",
};

/** For a file whose name holds a hash of its content. */
export const IMMUTABLE = "public, max-age=31536000, immutable";
/** For a file whose content another version of the gateway may change. */
export const REVALIDATE = "no-cache";

type ServeFile = (name: string, request: Request, cacheControl: string) => Promise<Response>;

/**
 * Serves the files that `load` returns. It is called at the first request, so that a gateway whose pages are never
 * opened doesn't prepare them. `missing` is the 404's message, and `more` is added to the content policy.
 */
export function fileServer(load: () => Promise<readonly PageFile[]>, missing: string, more = ""): ServeFile {
  const security = { ...HEADERS, "content-security-policy": POLICY + more };
  let loading: Promise<ReadonlyMap<string, ServedFile>> | null = null;
  return async (name, request, cacheControl) => {
    loading ??= load().then(indexByName);
    // After a failure, the next request tries again.
    loading.catch(() => {
      loading = null;
    });
    const file = (await loading).get(name);
    if (!file) throw new Fault("unknown_url", missing);
    return answer(file, request, { ...security, "cache-control": cacheControl });
  };
}

function indexByName(files: readonly PageFile[]): ReadonlyMap<string, ServedFile> {
  return new Map(
    files.map((file): [string, ServedFile] => {
      const type = TYPES[file.name.slice(file.name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      return [file.name, { ...file, type, tag: `W/"${Bun.hash(file.gzip).toString(36)}"` }];
    }),
  );
}

function answer(file: ServedFile, request: Request, more: Readonly<Record<string, string>>): Response {
  const headers = { ...more, "content-type": file.type, etag: file.tag };
  if (request.headers.get("if-none-match") === file.tag) return new Response(null, { status: 304, headers });
  const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (!takesGzip) return new Response(Bun.gunzipSync(file.gzip), { headers });
  return new Response(file.gzip, { headers: { ...headers, "content-encoding": "gzip" } });
}
