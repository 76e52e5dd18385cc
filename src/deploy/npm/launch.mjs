#!/usr/bin/env node
// Starts Poundkey by the runtime that was installed with this package.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join, sep } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const STANDARD_INPUT = 0;

function readPackage(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch {
    return {};
  }
}

function nameRuntime() {
  const { platform, arch } = process;
  const isMusl = platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
  return `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}${isMusl ? "-musl" : ""}`;
}

/** Looks only where this package and its dependencies are installed, so never in a working folder. */
function findRuntime(name, version) {
  for (let folder = HERE; folder !== dirname(folder); folder = dirname(folder)) {
    const modules = join(folder, "node_modules");
    if (folder !== HERE && !HERE.startsWith(modules + sep)) continue;
    if (readPackage(join(modules, name)).version === version) return join(modules, name, "bin", "bun");
  }
  return null;
}

function fail(message) {
  console.error(`poundkey: ${message}`);
  process.exit(1);
}

/** A terminal's Ctrl-C reaches the gateway by itself, and a second one would end it at once. */
function passSignals(kill) {
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => kill(signal));
  const hasTerminal = isatty(STANDARD_INPUT);
  process.on("SIGINT", () => hasTerminal || kill("SIGINT"));
}

function run(runtime, args, env) {
  let child = null;
  passSignals((signal) => child?.kill(signal));
  child = spawn(runtime, args, { stdio: "inherit", env });
  child.on("error", (error) => fail(`the runtime can't be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

const name = nameRuntime();
const version = readPackage(HERE).optionalDependencies?.[name];
if (version === undefined)
  fail(`there is no runtime for ${process.platform}-${process.arch}. Use WSL or the container image.`);
const runtime = findRuntime(name, version);
if (runtime === null)
  fail(`the runtime ${name} ${version} isn't installed. Install again without --omit=optional.`);

const flags = [
  `--config=${join(HERE, "no-settings.toml")}`,
  "--no-env-file",
  `--tsconfig-override=${join(HERE, "tsconfig.json")}`,
];
const args = [...flags, join(HERE, "main.js"), ...process.argv.slice(2)];
const env = { POUNDKEY_PLACES: "user", ...process.env, POUNDKEY_FOLDER: process.cwd() };
// In the working folder, the runtime would read the settings of whoever wrote it. The program goes back there.
process.chdir(HERE);
if (process.execve) {
  // Node says on standard error that this function is experimental.
  process.emitWarning = () => {};
  process.execve(runtime, [runtime, ...args], env);
} else run(runtime, args, env);
