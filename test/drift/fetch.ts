// Fetches a release of a package from its registry into a folder.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import type { Package } from "./packages.ts";

export interface Release {
  readonly version: string;
  /** The folder with the package's own files. */
  readonly folder: string;
}

/** Runs a command in the folder, which shows what it prints. True if it succeeds. */
export async function run(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const child = Bun.spawn([...words], {
    cwd,
    env: { ...process.env, ...env },
    stdout: "inherit",
    stderr: "inherit",
  });
  return (await child.exited) === 0;
}

/** Fetches a release, or the newest. An agent of npm is installed with what it needs, at `node_modules` of the folder. */
export async function fetchRelease(
  one: Pick<Package, "name" | "registry">,
  into: string,
  version?: string,
): Promise<Release> {
  mkdirSync(into, { recursive: true });
  return one.registry === "npm"
    ? await installNode(one.name, into, version ?? "latest")
    : await unpackWheel(one.name, into, version);
}

async function installNode(name: string, into: string, version: string): Promise<Release> {
  writeFileSync(join(into, "package.json"), '{ "private": true }');
  const options = ["--no-audit", "--no-fund", "--no-package-lock"];
  if (!(await run(["npm", "install", ...options, `${name}@${version}`], into)))
    throw new Error(`npm couldn't install ${name}.`);
  const folder = join(into, "node_modules", name);
  const read = asObject(parseJson(readFileSync(join(folder, "package.json"), "utf8")));
  return { version: String(read.version), folder };
}

/** A wheel holds the sources with their types, so that nothing of it is installed or run. */
async function unpackWheel(name: string, into: string, version: string | undefined): Promise<Release> {
  const wanted = version === undefined ? name : `${name}==${version}`;
  const options = ["--no-deps", "--only-binary", ":all:", "--quiet", "--disable-pip-version-check"];
  if (!(await run(["python3", "-m", "pip", "download", ...options, "--dest", ".", wanted], into)))
    throw new Error(`pip couldn't download ${wanted}.`);
  const wheel = readdirSync(into).find((file) => file.endsWith(".whl"));
  if (wheel === undefined || !(await run(["python3", "-m", "zipfile", "-e", wheel, "unpacked"], into)))
    throw new Error(`The wheel of ${wanted} can't be read.`);
  // The form of a wheel's name: `google_genai-3.6.1-py3-none-any.whl`.
  return { version: wheel.split("-")[1] ?? "", folder: join(into, "unpacked") };
}
