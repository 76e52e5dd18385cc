// Builds the npm package: the launcher, the bundled program, its files, and the tarball, the same bytes for the same commit.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asObject, asString, type JsonObject, parseJson } from "../../core/json/json.ts";
import { CHANNELS } from "../channels.ts";
import { NO_PATHS, NO_SETTINGS } from "../program.ts";
import { EMBEDDED } from "./embed-files.ts";
import { RUNTIMES } from "./systems.ts";
import { writeTarball } from "./tarball.ts";

const LAUNCHER = "launch.mjs";
const BILL = "poundkey.cdx.json";
/** Files of the repository that are in the package as they are. */
const COPIED = ["LICENSE"];
const LICENCE = /^(licen[cs]e|notice|copying)(\.|-|$)/i;
/** A thread's address as the sources have it. The bundle has the file under another ending. */
const THREAD = /(new URL\("\.\/[\w-]+-thread)\.ts(", import\.meta\.url\))/g;

interface Packing {
  readonly root: string;
  /** The folder with `console` and `docs`, where the package is made too. */
  readonly dist: string;
  readonly entries: readonly string[];
  readonly commit: string;
  readonly lock: string;
  readonly bill: JsonObject;
  /** Runs Bun with these arguments. Throws if it fails. */
  readonly runBun: (args: readonly string[]) => Promise<void>;
}

/** Returns the tarball's path. */
export async function buildPackage(packing: Packing): Promise<string> {
  const { root, dist, lock, bill } = packing;
  const folder = join(dist, "npm");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await bundle(packing, folder);
  for (const name of EMBEDDED) cpSync(join(dist, name), join(folder, name), { recursive: true });
  cpSync(join(root, "src", "deploy", "npm"), folder, { recursive: true });
  for (const name of COPIED) cpSync(join(root, name), join(folder, name));
  const own = asObject(parseJson(readFileSync(join(root, "package.json"), "utf8")));
  const files = {
    "package.json": formatJson(describePackage(own, lock)),
    [NO_SETTINGS]: "",
    [NO_PATHS]: formatJson({}),
    [BILL]: formatJson(bill),
    "NOTICES.txt": writeNotices(root, bill),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const tarball = join(dist, `poundkey-${asString(own.version)}.tgz`);
  writeFileSync(tarball, writeTarball(folder, [LAUNCHER]));
  return tarball;
}

/** The code is never minified: Elysia reads the text of its handlers. */
async function bundle({ entries, commit, runBun }: Packing, folder: string): Promise<void> {
  const defines = { POUNDKEY_COMMIT: JSON.stringify(commit), POUNDKEY_PACKED: "true" };
  await runBun([
    "build",
    "--target=bun",
    "--splitting",
    "--format=esm",
    "--entry-naming=[name].[ext]",
    ...Object.entries(defines).flatMap(([name, value]) => ["--define", `${name}=${value}`]),
    ...entries,
    "--outdir",
    folder,
  ]);
  const names = readdirSync(folder);
  const assets = names.filter((name) => !isCode(name));
  for (const name of names.filter(isCode)) {
    const file = join(folder, name);
    const code = readFileSync(file, "utf8");
    const named = placeAssets(code.replace(THREAD, "$1.js$2"), assets);
    if (named !== code) writeFileSync(file, named);
  }
}

const isCode = (name: string) => name.endsWith(".js");

/** The bundle names a file beside it by a relative path, which would lead into the working folder. */
function placeAssets(code: string, assets: readonly string[]): string {
  return assets.reduce(
    (text, name) => text.replaceAll(`"./${name}"`, `\`\${import.meta.dir}/${name}\``),
    code,
  );
}

/** The repository's own package stays private, so that nobody publishes the sources. */
function describePackage(own: JsonObject, lock: string): JsonObject {
  const { name, version, description, license, engines } = own;
  const locked = asObject(asObject(parseJson(lock)).packages);
  const runtimes = RUNTIMES.map((one) => [one, asObject(locked[`node_modules/${one}`]).version]);
  return {
    name: CHANNELS.npm ?? name,
    version,
    description,
    license,
    type: "module",
    bin: { poundkey: LAUNCHER },
    engines,
    optionalDependencies: Object.fromEntries(runtimes),
  };
}

/** Returns the licences of the libraries in the bundle, which have to go with it. */
function writeNotices(root: string, { components }: JsonObject): string {
  const notices = Array.isArray(components) ? components.map((one) => readNotice(root, asObject(one))) : [];
  return notices.filter((notice) => notice !== "").join(`\n${"-".repeat(80)}\n\n`);
}

function readNotice(root: string, { group, name, version }: JsonObject): string {
  const full = [group, name].filter((part) => typeof part === "string").join("/");
  const folder = join(root, "node_modules", full);
  // The runtimes are packages of their own, with their own licences.
  if (full === "bun" || RUNTIMES.includes(full) || !existsSync(folder)) return "";
  const files = readdirSync(folder).filter((file) => LICENCE.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return `${[`${full} ${version}`, ...texts].join("\n\n")}\n`;
}

function formatJson(value: JsonObject): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
