// The binary's contents as a CycloneDX 1.6 bill of materials: made from the lock file alone, the same each time.
import { isObject, type JsonObject, objectOf, parseJson, stringOf } from "../core/json.ts";

const FOLDER = "node_modules/";
/** An SPDX expression, as `MIT OR Apache-2.0`, rather than the name of one licence. */
const EXPRESSION = /[\s()]/;

/** A package by its path in the lock file. */
interface Locked {
  readonly name: string;
  readonly version: string;
  /** Its address among packages, https://github.com/package-url: what bills are compared by. */
  readonly purl: string;
  readonly entry: JsonObject;
  readonly needs: readonly Locked[];
}

/**
 * The bill of the program whose `package-lock.json` this is: its dependencies and theirs. Those of development are not
 * in it, nor are peers that nothing else needs: the build leaves them out. No time is in it, so that it can be made again
 * and compared.
 */
export function buildBill(lockText: string): JsonObject {
  const reader = new LockReader(objectOf(objectOf(parseJson(lockText)).packages));
  const program = reader.at("");
  const libraries = [...reader.found.values()]
    .filter((one) => one !== program)
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
      dependsOn: [...new Set(needs.map((need) => need.purl))].sort(),
    })),
  };
  return { ...bill, serialNumber: `urn:uuid:${makeUuid(JSON.stringify(bill))}` };
}

/** Reads packages and what they need, each once however often it is installed. */
class LockReader {
  readonly found = new Map<string, Locked>();
  readonly #packages: JsonObject;

  constructor(packages: JsonObject) {
    this.#packages = packages;
  }

  at(path: string): Locked {
    const entry = objectOf(this.#packages[path]);
    const name = stringOf(entry.name) ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
    const version = stringOf(entry.version) ?? "";
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    const known = this.found.get(purl);
    if (known) return known;
    const needs: Locked[] = [];
    const locked = { name, version, purl, entry, needs };
    // Before what it needs is read: packages may need each other.
    this.found.set(purl, locked);
    for (const need of Object.keys({
      ...objectOf(entry.dependencies),
      ...objectOf(entry.optionalDependencies),
    })) {
      const place = this.#resolve(path, need);
      if (place !== null) needs.push(this.at(place));
    }
    return locked;
  }

  /** The path at which Node finds the package from there: beside it, or in a folder further out. null: it isn't installed. */
  #resolve(from: string, name: string): string | null {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${FOLDER}`)))) {
      const path = `${folder === "" ? "" : `${folder}/`}${FOLDER}${name}`;
      if (isObject(this.#packages[path])) return path;
      if (folder === "") return null;
    }
  }
}

function writeComponent(type: "application" | "library", { name, version, purl, entry }: Locked): JsonObject {
  const [scope, inScope] = name.startsWith("@") ? name.split("/") : [];
  const licence = stringOf(entry.license);
  const integrity = /^sha512-(.+)$/.exec(stringOf(entry.integrity) ?? "")?.[1];
  return {
    type,
    "bom-ref": purl,
    ...(inScope === undefined ? { name } : { group: scope, name: inScope }),
    version,
    // Of Bun's builds for the different systems, one is in the binary.
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

/** A UUID of version 8 (RFC 9562): made of the text's digest. */
function makeUuid(text: string): string {
  const hex = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
