// A checkout of a release in a folder of its own: the scripts, channels, a chart, a changelog, and files as the builds make them.
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { writeTarball } from "../../../src/app/build/tarball.ts";

const DEPLOY = join(import.meta.dir, "..", "..", "..", "src", "deploy");
export const SYSTEMS = [
  "linux-x64",
  "linux-x64-musl",
  "linux-arm64",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
];

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Tree {
  readonly root: string;
  readonly release: string;
  /** Another folder, which isn't a part of the checkout. */
  readonly beside: string;
  write(path: string, text: string): void;
  /** Waits without blocking, so that servers of the test's own process can answer. */
  run(script: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Runs the lines that a dry run has printed. */
  replay(printed: string, env?: Readonly<Record<string, string>>): Promise<Ran>;
  remove(): void;
}

export function makeTree(version: string, channels: Readonly<Record<string, string>> = {}): Tree {
  const beside = mkdtempSync(join(tmpdir(), "poundkey-release-"));
  const root = join(beside, "checkout");
  const release = join(root, "dist", "release");
  for (const name of ["release", "image", "chart"])
    cpSync(join(DEPLOY, name), join(root, "src", "deploy", name), { recursive: true });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("package.json", `{\n  "name": "poundkey",\n  "version": "${version}",\n  "private": true\n}\n`);
  write(
    "CHANGELOG.md",
    `# Changelog\n\n## Unreleased\n\n- Later.\n\n## ${version} (28 November 2026)\n\n- Now.\n\n## 0.9.0 (1 May 2026)\n\n- Once.\n`,
  );
  write(".gitignore", "dist/\n");
  const chart = readFileSync(join(DEPLOY, "chart", "Chart.yaml"), "utf8");
  write("src/deploy/chart/Chart.yaml", chart.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`));
  const rows = readFileSync(join(DEPLOY, "channels.yaml"), "utf8");
  write(
    "src/deploy/channels.yaml",
    rows.replace(/^(\w+): null/gm, (row, name: string) =>
      channels[name] ? `${name}: ${channels[name]}` : row,
    ),
  );
  mkdirSync(release, { recursive: true });
  const run = (command: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runThere(command, root, { PATH: process.env.PATH ?? "", HOME: beside, TMPDIR: beside, ...env });
  return {
    root,
    release,
    beside,
    write,
    run: (script, args = [], env = {}) => run([join(root, "src/deploy/release", script), ...args], env),
    replay: (printed, env = {}) => run(["sh", "-ec", listCalls(printed).join("\n")], env),
    remove: () => rmSync(beside, { recursive: true, force: true }),
  };
}

/** The commands that a dry run would have run. */
export function listCalls(printed: string): readonly string[] {
  return [...printed.matchAll(/^would run: (.*)$/gm)].map(([, line = ""]) => line);
}

async function runThere(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

/** Writes a binary for each system, the npm package and SHA256SUMS, all small. `program` is the binaries' text. */
export function fillRelease({ release }: Tree, version: string, npm: string, program = "#!/bin/sh\n"): void {
  const files = new Map<string, string | Uint8Array>();
  for (const system of SYSTEMS) {
    files.set(`poundkey-${version}-${system}`, `${program}# ${system}\n`);
    files.set(`poundkey-${version}-${system}.cdx.json`, "{}\n");
  }
  files.set(`poundkey-${version}.tgz`, packNpm(join(release, "..", "npm"), { name: npm, version }));
  for (const [name, bytes] of files) writeFileSync(join(release, name), bytes);
  for (const system of SYSTEMS) chmodSync(join(release, `poundkey-${version}-${system}`), 0o755);
  const sums = [...files].map(
    ([name, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`,
  );
  writeFileSync(join(release, "SHA256SUMS"), sums.join(""));
}

function packNpm(folder: string, manifest: { readonly name: string; readonly version: string }): Uint8Array {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return writeTarball(folder, []);
}

/** Makes a repository of the checkout, with a tag and a default branch at the other side. */
export function commit({ root }: Tree, tag: string): void {
  const git = (...args: readonly string[]) => {
    const ran = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root });
    if (ran.exitCode !== 0) throw new Error(ran.stderr.toString());
  };
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "A release");
  git("tag", tag);
  git("update-ref", "refs/remotes/origin/main", "HEAD");
}
