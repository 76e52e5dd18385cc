// A registry on loopback that has the package and its runtimes, as npm's has them after a release.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asObject, asString, type JsonObject, parseJson } from "../../../src/core/json/json.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const MODULES = join(ROOT, "node_modules");

/** A package's description, and its tarball if it is installed here. */
interface Packed {
  readonly manifest: JsonObject;
  readonly tarball: Uint8Array<ArrayBuffer> | null;
}

export interface Registry {
  readonly url: string;
  stop(): Promise<void>;
}

function readJson(...path: readonly string[]): JsonObject {
  return asObject(parseJson(readFileSync(join(...path), "utf8")));
}

/** The lock file says of a runtime for which systems it is. */
function readRuntime(name: string, version: string, folder: string): Packed {
  const { os, cpu, libc } = asObject(
    asObject(readJson(ROOT, "package-lock.json").packages)[`node_modules/${name}`],
  );
  const systems = {
    ...(os !== undefined && { os }),
    ...(cpu !== undefined && { cpu }),
    ...(libc !== undefined && { libc }),
  };
  const tarball = existsSync(join(MODULES, name)) ? packInstalled(name, folder) : null;
  return { manifest: { name, version, ...systems }, tarball };
}

/** The installation of npm's `bun` has moved the program out of its package, so this process's own goes in. */
function packInstalled(name: string, folder: string): Uint8Array<ArrayBuffer> {
  const [files, file] = [join(folder, "package"), join(folder, "runtime.tar")];
  mkdirSync(join(files, "bin"), { recursive: true });
  copyFileSync(join(MODULES, name, "package.json"), join(files, "package.json"));
  copyFileSync(process.execPath, join(files, "bin", "bun"));
  const { exitCode, stderr } = Bun.spawnSync(["tar", "-cf", file, "-C", folder, "package"]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return new Uint8Array(readFileSync(file));
}

/** `folder` is for files that only the registry needs. */
export function startRegistry(tarballFile: string, manifest: JsonObject, folder: string): Registry {
  const packages = new Map<string, Packed>();
  packages.set(asString(manifest.name) ?? "", {
    manifest,
    tarball: new Uint8Array(readFileSync(tarballFile)),
  });
  for (const [name, version] of Object.entries(asObject(manifest.optionalDependencies)))
    packages.set(name, readRuntime(name, asString(version) ?? "", folder));
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => answer(new URL(request.url), packages),
  });
  return { url: `http://127.0.0.1:${server.port}/`, stop: () => server.stop(true) };
}

function answer({ origin, pathname }: URL, packages: ReadonlyMap<string, Packed>): Response {
  const path = decodeURIComponent(pathname.slice(1));
  const isTarball = path.endsWith("/-/file.tgz");
  const packed = packages.get(isTarball ? path.slice(0, -"/-/file.tgz".length) : path);
  if (packed === undefined) return new Response("{}", { status: 404 });
  const { manifest, tarball } = packed;
  if (isTarball) return new Response(tarball, { status: tarball === null ? 404 : 200 });
  const integrity = `sha512-${createHash("sha512")
    .update(tarball ?? "")
    .digest("base64")}`;
  const version = asString(manifest.version) ?? "";
  const dist = { tarball: `${origin}/${path}/-/file.tgz`, integrity };
  return Response.json({
    name: path,
    "dist-tags": { latest: version },
    versions: { [version]: { ...manifest, dist } },
  });
}
