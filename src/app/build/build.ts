// The build: the binary for this system; with --all those for every supported one, or for the one that --system names, with
// their digests and bills of materials; with --npm the package. --into names a folder other than `dist` for what is made.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { dependencies, version } from "../../../package.json" with { type: "json" };
import { asObject, asString, parseJson } from "../../core/json/json.ts";
import { publishList } from "../models/publish-list.ts";
import { readCommit } from "../version.ts";
import { EMBEDDED, embedFiles } from "./embed-files.ts";
import { signAdHoc } from "./mac-sign.ts";
import { buildBillOfMaterials } from "./materials.ts";
import { buildPackage } from "./pack.ts";
import { readKeyFile, signFile } from "./sign.ts";
import { TARGETS } from "./systems.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const DIST = join(ROOT, "dist");
/** The runtimes that were downloaded. They are checked again at each use. */
const RUNTIMES = join(DIST, "runtimes");
/** The threads are entries of their own. */
const ENTRIES = [
  "src/main.ts",
  "src/store/sqlite/checkpoint-thread.ts",
  "src/store/sqlite/slow-thread.ts",
  "src/app/workers/progress-thread.ts",
  "src/app/models/catalogue-thread.ts",
];
const FLAGS = [
  "--compile",
  "--splitting",
  "--bytecode",
  "--format=esm",
  "--sourcemap",
  "--entry-naming=[name].[ext]",
  "--compile-jit-policy=32",
  "--no-compile-autoload-bunfig",
  "--no-compile-autoload-dotenv",
];

const { bun: runtimeVersion } = dependencies;
const lock = readFileSync(join(ROOT, "package-lock.json"), "utf8");
const commit = process.env.POUNDKEY_COMMIT || (await readCommit());

/** Compiles into the file. Throws if that fails. */
async function compile(file: string, more: readonly string[] = []): Promise<void> {
  const args = [
    "build",
    ...FLAGS,
    ...more,
    ...EMBEDDED.flatMap((folder) => ["--asset", `./dist/${folder}`]),
    "--define",
    `POUNDKEY_COMMIT=${JSON.stringify(commit)}`,
    ...ENTRIES,
    "--outfile",
    file,
  ];
  await run([process.execPath, ...args], { NODE_ENV: "production" });
  // The maps are in the binary.
  const folder = dirname(file);
  for (const name of readdirSync(folder)) if (name.endsWith(".map")) rmSync(join(folder, name));
}

async function run(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) throw new Error(`${basename(command[0] ?? "")} failed`);
}

/** Returns the path of the runtime's program, as npm has it and the lock file proves it. */
async function fetchRuntime(name: string): Promise<string> {
  const file = join(RUNTIMES, `oven-${name}-${runtimeVersion}.tgz`);
  mkdirSync(RUNTIMES, { recursive: true });
  if (!(await Bun.file(file).exists())) {
    const source = `@oven/${name}@${runtimeVersion}`;
    await run(["npm", "pack", source, "--silent", "--pack-destination", RUNTIMES]);
  }
  const packages = asObject(asObject(parseJson(lock)).packages);
  const expected = asString(asObject(packages[`node_modules/@oven/${name}`]).integrity);
  const found = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  if (found !== expected) throw new Error(`${file} isn't the package of the lock file`);
  const folder = join(RUNTIMES, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  await run(["tar", "-xzf", file, "-C", folder, "package/bin/bun"]);
  return join(folder, "package", "bin", "bun");
}

function writeBill(file: string, runtime: string | undefined): void {
  const bill = buildBillOfMaterials(lock, runtime && `@oven/${runtime}`);
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
}

/** Returns the runtime that npm has installed for this system. Undefined if Bun came another way. */
function findInstalledRuntime(): string | undefined {
  const folder = join(ROOT, "node_modules", "@oven");
  return existsSync(folder) ? readdirSync(folder).toSorted()[0] : undefined;
}

async function buildAll(folder: string, system: string): Promise<void> {
  const targets = TARGETS.filter(({ name }) => system === "" || name === system);
  if (targets.length === 0)
    throw new Error(`${system} is none of ${TARGETS.map(({ name }) => name).join(", ")}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, runtime, target, isSignedWrong } of targets) {
    const binary = `poundkey-${version}-${name}`;
    const path = await fetchRuntime(runtime);
    // Compiled under the same name for every system, since the name is part of the binary.
    await compile(join(folder, "poundkey"), [`--target=${target}`, `--compile-executable-path=${path}`]);
    renameSync(join(folder, "poundkey"), join(folder, binary));
    if (isSignedWrong) signProgram(join(folder, binary));
    writeBill(join(folder, `${binary}.cdx.json`), runtime);
  }
  const models = publishList({ withFiles: [], only: [], folder });
  if (models.kind !== "written") throw new Error("the list of models wasn't written");
  const names = readdirSync(folder).toSorted();
  const sums = names.map((name) => `${digestFile(join(folder, name))}  ${name}\n`);
  const list = join(folder, "SHA256SUMS");
  writeFileSync(list, sums.join(""));
  const { POUNDKEY_SIGNING_KEY: key } = process.env;
  // Signatures are in no list: they prove it, and the list of models is watched without it.
  if (key) for (const file of [list, models.file]) signFile(file, readKeyFile(resolve(key)));
  console.log(sums.join("").trimEnd());
}

function signProgram(file: string): void {
  writeFileSync(file, signAdHoc(readFileSync(file)));
}

function packForNpm(dist: string): Promise<string> {
  return buildPackage({
    root: ROOT,
    dist,
    entries: ENTRIES,
    commit,
    lock,
    bill: buildBillOfMaterials(lock),
    runBun: (given) => run([process.execPath, ...given], { NODE_ENV: "production" }),
  });
}

function digestFile(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

const args = process.argv.slice(2);
/** Returns the value after the flag, or what stands for it. */
const readFlag = (flag: string, instead: string) =>
  args.includes(flag) ? (args[args.indexOf(flag) + 1] ?? instead) : instead;
if (args.includes("--npm")) {
  const folder = resolve(readFlag("--into", DIST));
  await embedFiles(folder);
  console.log(await packForNpm(folder));
} else {
  await embedFiles(DIST);
  if (args.includes("--all"))
    await buildAll(join(resolve(readFlag("--into", DIST)), "release"), readFlag("--system", ""));
  else {
    const file = readFlag("--outfile", "dist/poundkey");
    await compile(file);
    const own = TARGETS.find(({ name }) => name === `${process.platform}-${process.arch}`);
    if (own?.isSignedWrong) signProgram(resolve(ROOT, file));
    writeBill(join(DIST, "poundkey.cdx.json"), findInstalledRuntime());
  }
}
