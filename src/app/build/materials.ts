// Writes a CycloneDX 1.6 bill of materials of the binary, from the lock file alone, so that it is reproducible.
import { asObject, asString, isObject, type JsonObject, parseJson } from "../../core/json/json.ts";

const FOLDER = "node_modules/";
/** Matches an SPDX expression like `MIT OR Apache-2.0`, but not the name of a single licence. */
const EXPRESSION = /[\s()]/;

/** A package by its path in the lock file. */
interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** The package URL (https://github.com/package-url), by which bills are compared. */
  readonly purl: string;
  readonly entry: JsonObject;
  readonly needs: readonly LockedPackage[];
}

/**
 * Builds the bill of the program that `package-lock.json` belongs to: its dependencies and theirs. Like the build, it
 * omits development dependencies and peers that nothing else needs. It contains no time, so that it can be reproduced.
 * With the name of a runtime's package, the bill is of the binary with that runtime alone.
 */
export function buildBillOfMaterials(lockText: string, runtime?: string): JsonObject {
  const isLeftOut = (name: string) => runtime !== undefined && isRuntime(name) && name !== runtime;
  const reader = new LockReader(asObject(asObject(parseJson(lockText)).packages));
  const program = reader.at("");
  const libraries = [...reader.found.values()]
    .filter((one) => one !== program && !isLeftOut(one.name))
    .sort((one, other) => (one.purl < other.purl ? -1 : 1));
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: writeComponent("application", program) },
    components: libraries.map((one) => writeComponent("library", one)),
    dependencies: [program, ...libraries].map(({ purl, needs }) => ({
      ref: purl,
      dependsOn: [...new Set(needs.filter(({ name }) => !isLeftOut(name)).map((need) => need.purl))].sort(),
    })),
  };
  return { ...bill, serialNumber: `urn:uuid:${makeUuid(JSON.stringify(bill))}` };
}

/** True for a build of Bun for one system. */
function isRuntime(name: string): boolean {
  return name.startsWith("@oven/bun-");
}

/** Reads packages and their dependencies, each once even if it is installed more often. */
class LockReader {
  readonly found = new Map<string, LockedPackage>();
  readonly #packages: JsonObject;

  constructor(packages: JsonObject) {
    this.#packages = packages;
  }

  at(path: string): LockedPackage {
    const entry = asObject(this.#packages[path]);
    const name = asString(entry.name) ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
    const version = asString(entry.version) ?? "";
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    const known = this.found.get(purl);
    if (known) return known;
    const needs: LockedPackage[] = [];
    const locked = { name, version, purl, entry, needs };
    // It is recorded before its dependencies are read, because packages may depend on each other.
    this.found.set(purl, locked);
    for (const need of Object.keys({
      ...asObject(entry.dependencies),
      ...asObject(entry.optionalDependencies),
    })) {
      const place = this.#resolve(path, need);
      if (place !== null) needs.push(this.at(place));
    }
    return locked;
  }

  /** Returns the path at which Node finds the package, beside `from` or in a folder above it, or null if it isn't installed. */
  #resolve(from: string, name: string): string | null {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${FOLDER}`)))) {
      const path = `${folder === "" ? "" : `${folder}/`}${FOLDER}${name}`;
      if (isObject(this.#packages[path])) return path;
      if (folder === "") return null;
    }
  }
}

function writeComponent(
  type: "application" | "library",
  { name, version, purl, entry }: LockedPackage,
): JsonObject {
  const [scope, inScope] = name.startsWith("@") ? name.split("/") : [];
  const licence = asString(entry.license);
  const integrity = /^sha512-(.+)$/.exec(asString(entry.integrity) ?? "")?.[1];
  return {
    type,
    "bom-ref": purl,
    ...(inScope === undefined ? { name } : { group: scope, name: inScope }),
    version,
    // Bun's builds for the different systems are optional, because only one of them is in the binary.
    ...(type === "library" ? { scope: entry.optional === true ? "optional" : "required" } : {}),
    ...(integrity === undefined
      ? {}
      : { hashes: [{ alg: "SHA-512", content: Buffer.from(integrity, "base64").toString("hex") }] }),
    ...(licence === undefined ? {} : { licenses: [writeLicence(licence)] }),
    purl,
  };
}

function writeLicence(licence: string): JsonObject {
  if (!EXPRESSION.test(licence)) return { license: { id: licence } };
  return { expression: licence.replace(/^\((.*)\)$/, "$1") };
}

/** Makes a UUID of version 8 (RFC 9562) from the text's digest. */
function makeUuid(text: string): string {
  const hex = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
