// A real PostgreSQL server that tests start, stop, pause and kill. It and its files end with the test process.
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { SQL } from "bun";
import { until } from "../../whole/world/until.ts";
import { giveToUser, makePlace, openLog, type Place } from "./installation.ts";

const START_MS = 30_000;
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

/**
 * Starts a separate server on a free port. `settings` are added to its configuration, such as `{ fsync: "on" }`, and its data
 * is on the disk then.
 */
export async function startPostgres(settings: Settings = {}): Promise<PostgresServer> {
  const server = await startIn(await makePlace(Object.keys(settings).length > 0), settings);
  return { ...server, url: await server.newDatabase() };
}

/** Starts a server on the data of the place. */
async function startIn(place: Place, settings: Settings): Promise<PostgresServer> {
  const { folder } = place;
  const first = await launchOnSparePort(place, { ...SETTINGS, ...settings });
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
    await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
    return `${base}/${name}`;
  };
  const stop = async () => {
    // The first process shuts the others down in order.
    if (running) process.kill(running.pid, "SIGINT");
    signal("SIGCONT");
    await gone();
  };
  const start = async () => {
    running ??= await launch(place, first.port, { ...SETTINGS, ...settings });
  };
  const startStandby = async () => {
    await stop();
    const copy = await makePlace(false, folder);
    writeFileSync(join(copy.folder, "data/standby.signal"), "");
    giveToUser(copy.folder);
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

/** Starts the standby, and returns once the first server waits for it at each COMMIT. */
async function follow(port: number, place: Place, settings: Settings): Promise<PostgresServer> {
  const conninfo = `host=127.0.0.1 port=${port} user=postgres application_name=standby`;
  // In its file, where a test can change it: a setting of the command line stays.
  appendFileSync(join(place.folder, "data/postgresql.auto.conf"), `primary_conninfo = '${conninfo}'\n`);
  const standby = await startIn(place, settings);
  await using admin = new SQL(`postgres://postgres@127.0.0.1:${port}/postgres`, { max: 1 });
  await admin.unsafe("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await admin.unsafe("SELECT pg_reload_conf()");
  const follows = async () =>
    (await admin.unsafe("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length > 0;
  await until("the standby follows", follows, START_MS);
  return { ...standby, url: standby.url.replace(/[^/]*$/, "test_1") };
}

async function launchOnSparePort(place: Place, settings: Settings): ReturnType<typeof launch> {
  // Below the system's range for outgoing connections, so that the port stays free while the server is stopped.
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  return launch(place, port, settings).catch((error) => {
    if (!String(error).includes("could not bind")) throw error;
    return launchOnSparePort(place, settings);
  });
}

async function launch({ folder, spawn }: Place, port: number, settings: Settings) {
  const more = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(["-p", String(port), ...more]);
  const pidFile = join(folder, "data/postmaster.pid");
  const isReady = () => {
    const lines = existsSync(pidFile) ? readFileSync(pidFile, "utf8").split("\n") : [];
    return lines[0] === String(child.pid) && lines[7]?.trim() === "ready";
  };
  await until("PostgreSQL to start", () => child.exitCode !== null || isReady(), START_MS);
  if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${await openLog(folder).text()}`);
  // All the server's processes hold the other end of the pipe, and none writes to it: it ends when the last one exits.
  return { pid: child.pid, port, gone: new Response(child.stdout).text() };
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
