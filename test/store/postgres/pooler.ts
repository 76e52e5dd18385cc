// PgBouncer in front of the tests' PostgreSQL, if it is installed, by default in transaction mode.
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { isMissing } from "../../harness/tools.ts";
import { until } from "../../whole/world/until.ts";

/** PgBouncer refuses to run as root, so it runs as `nobody` instead. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
/** Fewer than the clients, so that each transaction gets any free connection. */
const SERVER_CONNECTIONS = 4;

export const POOLER = [
  process.env.PGBOUNCER,
  Bun.which("pgbouncer") ?? undefined,
  "/usr/sbin/pgbouncer",
].find((path) => path !== undefined && existsSync(path));
isMissing("no pgbouncer", POOLER !== undefined);

export interface Pooler {
  /** The URL of the database through PgBouncer, for the same user. */
  urlFor(direct: string): string;
  stop(): Promise<void>;
}

/** `more` are further lines of PgBouncer's configuration, which override these. */
export async function startPooler(serverUrl: string, more: readonly string[] = []): Promise<Pooler> {
  if (POOLER === undefined) throw new Error("no pgbouncer on this machine");
  const folder = mkdtempSync(join(tmpdir(), "poundkey-pooler-"));
  const port = findPort();
  const config = join(folder, "pgbouncer.ini");
  const server = new URL(serverUrl);
  const lines = [
    `[databases]\n* = host=${server.hostname} port=${server.port}`,
    `[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    `pool_mode = transaction\ndefault_pool_size = ${SERVER_CONNECTIONS}\nmax_client_conn = 200`,
    `auth_type = trust\nauth_file = ${join(folder, "users")}\nlogfile = ${join(folder, "log")}`,
    ...more,
  ];
  writeFileSync(join(folder, "users"), '"postgres" ""\n"gateway" ""\n');
  writeFileSync(config, `${lines.join("\n")}\n`);
  chmodSync(folder, 0o755);
  if (USER) chownSync(folder, USER.uid, USER.gid);
  const child = Bun.spawn([POOLER, "-q", config], { ...USER, stdout: "ignore", stderr: "ignore" });
  const urlFor = (direct: string) => {
    const url = new URL(direct);
    url.port = String(port);
    return url.href;
  };
  await until("PgBouncer to start", () => canConnect(urlFor(serverUrl)), 10_000);
  return {
    urlFor,
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function canConnect(url: string): Promise<boolean> {
  const sql = new SQL(url, { max: 1, prepare: false });
  try {
    await sql.unsafe("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await sql.close({ timeout: 0 });
  }
}

/** PgBouncer doesn't accept port 0. */
function findPort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}
