// `poundkey samples`: writes the files for a deployment, which the binary has inside, into a folder.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type DeployFile, readDeployFiles } from "../../app/build/deploy-files.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { formatJson } from "../administration.ts";
import { type Arguments, COMMON_FLAGS, makeFlagCommand, UsageError } from "../arguments.ts";

const HELP = `usage: poundkey samples DIR [--list] [--json]

Writes files for a deployment into the folder DIR: Docker Compose, a Helm chart, units for systemd, an image, nginx and
Caddy, Grafana's dashboards and Prometheus' alert rules. README.md among them says where to begin. A file that is there
already and differs is never overwritten: then nothing is written.

  --list                    print the files' names only, and write nothing
  --json                    print JSON
  --config FILE, --store S  accepted, as by every command, but ignored

examples:
  poundkey samples --list
  poundkey samples ./poundkey-deploy`;

const FLAGS = { ...COMMON_FLAGS, list: "switch" } as const;

/** Returns the exit code: 0 if the files are there, 1 if one that differs was in the way. */
export const runSamples = makeFlagCommand({ name: "samples", help: HELP, flags: FLAGS, wordsMax: 1 }, show);

async function show({ switches, words }: Arguments, io: Io): Promise<number> {
  const files = readDeployFiles();
  const paths = files.map(({ path }) => path);
  const isJson = switches.has("json");
  if (switches.has("list")) {
    io.out(isJson ? formatJson(paths) : paths.join("\n"));
    return EXIT.done;
  }
  const [directory] = words;
  if (directory === undefined) throw new UsageError("name the folder to write into, or pass --list");
  const folder = resolve(directory);
  try {
    const written = writeFiles(folder, files);
    io.out(isJson ? formatJson({ folder, written, files: paths }) : describeWritten(folder, files, written));
    return EXIT.done;
  } catch (error) {
    io.err(`poundkey samples: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.failed;
  }
}

/** Writes the files that are missing and returns their paths. Throws before it writes any if one differs. */
function writeFiles(folder: string, files: readonly DeployFile[]): readonly string[] {
  const missing = files.filter(({ path }) => !existsSync(join(folder, path)));
  const changed = files.filter(
    (file) => !missing.includes(file) && !readFileSync(join(folder, file.path)).equals(file.bytes),
  );
  if (changed.length > 0) {
    const names = changed.map(({ path }) => path).join(", ");
    throw new Error(`${folder} has other versions of ${names}. Nothing was written. Choose a new folder.`);
  }
  for (const { path, bytes } of missing) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, { flag: "wx", mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  }
  return missing.map(({ path }) => path);
}

function describeWritten(folder: string, files: readonly DeployFile[], written: readonly string[]): string {
  const kept = files.length - written.length;
  const unchanged = kept === 0 ? "" : ` ${kept} were there already, unchanged.`;
  return [
    `Wrote ${written.length} files to ${folder}.${unchanged}`,
    ...written.map((path) => `  ${path}`),
    "",
    "Begin with one of these; README.md says how each goes on:",
    "  compose/one     one gateway on SQLite, with Docker Compose",
    "  compose/nodes   two gateways, PostgreSQL, PgBouncer, Caddy and Prometheus, with Docker Compose",
    "  chart           Kubernetes, with Helm",
    "  systemd         a machine without containers",
  ].join("\n");
}
