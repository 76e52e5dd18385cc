// Files for browsers: compressed once, revalidated by ETag, and closed to foreign scripts, frames and data.
import { Fault } from "../../core/faults/fault.ts";
import { takesGzip } from "./compressed.ts";

/** A built file. Its name may contain any characters, as it is never used as a path on disk. */
export interface PageFile {
  readonly name: string;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/** Returns a file that is made once, when its bytes are first read. */
export function makeWhenAsked(name: string, make: () => PageFile["gzip"]): PageFile {
  let made: PageFile["gzip"] | null = null;
  return {
    name,
    get gzip() {
      made ??= make();
      return made;
    },
  };
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
  webp: "image/webp",
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

type ServeFile = (
  name: string,
  request: Request,
  cacheControl: string,
  address?: string | null,
) => Promise<Response>;

interface FileSource {
  /** Called at the first request, so that a gateway whose pages are never opened doesn't prepare them. */
  readonly load: () => Promise<readonly PageFile[]>;
  /** The message of the 404. */
  readonly missing: string;
  /** Added to the content policy. */
  readonly more?: string;
  /** The file that people see in the place of one that is missing. */
  readonly missingPage?: string;
  /** Fills the address that a file is asked with. Missing if no file has any. */
  readonly fill?: FillAddress;
}

/** Serves the files that `load` returns. */
export function fileServer({ load, missing, more = "", missingPage, fill }: FileSource): ServeFile {
  const security = { ...HEADERS, "content-security-policy": POLICY + more };
  const filled = fill && new FilledFiles(fill, describeFile);
  let loading: Promise<ReadonlyMap<string, PageFile>> | null = null;
  const described = new Map<string, ServedFile>();
  return async (name, request, cacheControl, address = null) => {
    loading ??= load().then(indexByName);
    // After a failure, the next request tries again.
    loading.catch(() => {
      loading = null;
    });
    const files = await loading;
    const headers = { ...security, "cache-control": cacheControl };
    /** Describes a file when it is asked for: its tag is of bytes that may have to be made first. */
    const find = (wanted: string) => {
      const file = files.get(wanted);
      return file && described.getOrInsertComputed(wanted, () => describeFile(file));
    };
    const file = find(name);
    if (file) return answer(filled && address !== null ? filled.get(file, address) : file, request, headers);
    const page = missingPage !== undefined && isForPeople(request) ? find(missingPage) : undefined;
    if (page) return answer(page, request, headers, 404);
    throw new Fault("unknown_url", missing);
  };
}

function isForPeople({ headers }: Request): boolean {
  return headers.get("accept")?.includes("text/html") === true;
}

function indexByName(files: readonly PageFile[]): ReadonlyMap<string, PageFile> {
  return new Map(files.map((file) => [file.name, file]));
}

function describeFile(file: PageFile): ServedFile {
  const type = TYPES[file.name.slice(file.name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  const { name, gzip } = file;
  return { name, gzip, type, tag: `W/"${Bun.hash(gzip).toString(36)}"` };
}

function answer(
  file: ServedFile,
  request: Request,
  more: Readonly<Record<string, string>>,
  status = 200,
): Response {
  const headers = { ...more, "content-type": file.type, ...(status === 200 && { etag: file.tag }) };
  if (status === 200 && request.headers.get("if-none-match") === file.tag)
    return new Response(null, { status: 304, headers });
  if (!takesGzip(request)) return new Response(Bun.gunzipSync(file.gzip), { status, headers });
  return new Response(file.gzip, { status, headers: { ...headers, "content-encoding": "gzip" } });
}

/** One gateway has few, but anybody on its machine can ask by many: the rest are made again at each request. */
const ADDRESSES_MAX = 4;
const FILLED = /\.(html|md|txt)$/;

/** Puts an address in the place of the examples'. */
export type FillAddress = (text: string, address: string) => string;

/** Files with an address in their examples, made when they are asked for and kept for a few addresses. */
class FilledFiles<File extends PageFile> {
  readonly #fill: FillAddress;
  readonly #describe: (file: PageFile) => File;
  readonly #kept = new Map<string, Map<string, File>>();

  constructor(fill: FillAddress, describe: (file: PageFile) => File) {
    this.#fill = fill;
    this.#describe = describe;
  }

  get(file: File, address: string): File {
    if (!FILLED.test(file.name)) return file;
    const own = this.#kept.get(address) ?? this.#add(address);
    return own.getOrInsertComputed(file.name, () => this.#make(file, address));
  }

  #add(address: string): Map<string, File> {
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= ADDRESSES_MAX) this.#kept.delete(oldest);
    const own = new Map<string, File>();
    this.#kept.set(address, own);
    return own;
  }

  #make(file: File, address: string): File {
    const text = new TextDecoder().decode(Bun.gunzipSync(file.gzip));
    const filled = this.#fill(text, address);
    // Quickly, rather than small: anybody can ask by many addresses.
    return filled === text
      ? file
      : this.#describe({ name: file.name, gzip: Bun.gzipSync(filled, { level: 1 }) });
  }
}
