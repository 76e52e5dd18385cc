// Registries on loopback that take what a release publishes: npm's, and one of images and charts as the OCI describes it.
import { createHash, randomUUID } from "node:crypto";
import { asObject, asString, type JsonObject, parseJson } from "../../../src/core/json/json.ts";

export interface Registry {
  /** The host and port. */
  readonly host: string;
  /** The names that were written, in order. */
  readonly written: readonly string[];
  stop(): Promise<void>;
}

function serve(
  answer: (request: Request, path: string) => Promise<Response>,
  written: readonly string[],
): Registry {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => answer(request, decodeURIComponent(new URL(request.url).pathname)),
  });
  return { host: `127.0.0.1:${server.port}`, written, stop: () => server.stop(true) };
}

const NOTHING = () =>
  Response.json({ errors: [{ code: "NOT_FOUND", message: "not found" }] }, { status: 404 });

/** Like npm's, it refuses a version that is there. */
export function startNpmRegistry(): Registry {
  const packages = new Map<string, { readonly tags: JsonObject; readonly versions: JsonObject }>();
  const written: string[] = [];
  return serve(async (request, path) => {
    const name = path.slice(1);
    const there = packages.get(name);
    if (request.method === "GET")
      return there === undefined
        ? NOTHING()
        : Response.json({ name, "dist-tags": there.tags, versions: there.versions });
    if (request.method !== "PUT") return NOTHING();
    const body = asObject(parseJson(await request.text()));
    const [version = ""] = Object.keys(asObject(body.versions));
    if (there !== undefined && version in there.versions)
      return Response.json(
        { error: "cannot publish over the previously published versions" },
        { status: 403 },
      );
    packages.set(name, {
      tags: { ...there?.tags, ...asObject(body["dist-tags"]) },
      versions: { ...there?.versions, ...asObject(body.versions) },
    });
    written.push(`${name}@${version} ${Object.keys(asObject(body["dist-tags"]))}`);
    return Response.json({ ok: true }, { status: 201 });
  }, written);
}

/** The parts of an address below `/v2/`. */
const ADDRESS = /^\/v2\/(.+)\/(manifests|blobs)\/(uploads\/?)?(.*)$/;

interface Stored {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

export function startImageRegistry(): Registry {
  const stored = new Map<string, Stored>();
  const uploads = new Map<string, Uint8Array>();
  const written: string[] = [];

  const show = ({ method }: Request, found: Stored | undefined) => {
    if (found === undefined) return NOTHING();
    const headers = {
      "content-type": found.type,
      "content-length": String(found.bytes.length),
      "docker-content-digest": digest(found.bytes),
    };
    return new Response(method === "HEAD" ? null : found.bytes, { headers });
  };

  const upload = async (request: Request, name: string, id: string) => {
    const own = id === "" ? randomUUID() : id;
    const bytes = Buffer.concat([uploads.get(own) ?? new Uint8Array(), await request.bytes()]);
    uploads.set(own, bytes);
    const given = new URL(request.url).searchParams.get("digest");
    const headers = {
      location: `/v2/${name}/blobs/uploads/${own}`,
      range: `0-${Math.max(0, bytes.length - 1)}`,
    };
    if (given === null) return new Response(null, { status: 202, headers });
    if (digest(bytes) !== given) return NOTHING();
    stored.set(given, { bytes: new Uint8Array(bytes), type: "application/octet-stream" });
    return new Response(null, { status: 201, headers: { ...headers, "docker-content-digest": given } });
  };

  const putManifest = async (request: Request, name: string, reference: string) => {
    const bytes = await request.bytes();
    const type =
      request.headers.get("content-type") ?? asString(asObject(parseJson(String(bytes))).mediaType) ?? "";
    for (const key of [reference, digest(bytes)]) stored.set(`${name} ${key}`, { bytes, type });
    if (!reference.startsWith("sha256:")) written.push(`${name}:${reference}`);
    return new Response(null, { status: 201, headers: { "docker-content-digest": digest(bytes) } });
  };

  return serve(async (request, path) => {
    if (path === "/v2/") return Response.json({});
    const [, name = "", kind, isUpload, rest = ""] = ADDRESS.exec(path) ?? [];
    if (isUpload) return upload(request, name, rest);
    if (kind === "manifests" && request.method === "PUT") return putManifest(request, name, rest);
    return show(request, stored.get(kind === "manifests" ? `${name} ${rest}` : rest));
  }, written);
}

function digest(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
