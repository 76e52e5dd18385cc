// The PostgreSQL store over TLS: a private CA's certificate is accepted, and one that can't be verified is refused.
// Skipped if openssl isn't installed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { addKey, decideByDemand } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { findTool } from "../../harness/tools.ts";
import { openPayments } from "../../ledger/payments.ts";
import { startPostgres } from "./server.ts";

const OPENSSL = findTool("openssl");
const PASSWORD = "s3cret-of-the-gateway";

function makeCertificate(folder: string, name: string, options: readonly string[]): void {
  const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)];
  const kind = ["-newkey", "rsa:2048", "-nodes", "-days", "2"];
  const command = [OPENSSL ?? "", "req", "-x509", ...kind, "-subj", `/CN=${name}`, ...files, ...options];
  const { success, stderr } = Bun.spawnSync(command);
  if (!success) throw new Error(`no certificate ${name}: ${stderr}`);
}

describe.skipIf(OPENSSL === null)("over TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-tls-"));
  const file = (name: string) => join(folder, name);
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    chmodSync(folder, 0o755);
    makeCertificate(folder, "ca", []);
    makeCertificate(folder, "stranger", []);
    const signed = ["-CA", file("ca.crt"), "-CAkey", file("ca.key"), "-addext"];
    makeCertificate(folder, "server", [...signed, "subjectAltName=IP:127.0.0.1"]);
    if (process.getuid?.() === 0) chownSync(file("server.key"), 65534, 65534);
    server = await startPostgres({
      ssl: "on",
      ssl_cert_file: file("server.crt"),
      ssl_key_file: file("server.key"),
    });
    await using sql = new SQL(server.url, { max: 1 });
    await sql.unsafe(`CREATE ROLE gateway LOGIN PASSWORD '${PASSWORD}'`);
    await sql.unsafe(`ALTER DATABASE ${new URL(server.url).pathname.slice(1)} OWNER TO gateway`);
  });
  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  function address(query: string, host = "127.0.0.1"): string {
    const url = new URL(server.url);
    url.username = "gateway";
    url.password = PASSWORD;
    url.hostname = host;
    return `${url.href}?${query}`;
  }

  test("a user without superuser rights can use a verified server, over encrypted connections", async () => {
    const url = address(`sslmode=verify-full&sslrootcert=${file("ca.crt")}`);
    const store = await openPostgresStore({ url, decide: decideByDemand });
    await store.beat();
    await openPayments(store, {}).hold("1", await addKey(store, "key_a"), 1);
    await using sql = new SQL(server.url, { max: 1 });
    const seen = await sql`
      SELECT DISTINCT ssl, usename FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE application_name = 'poundkey'`;
    expect([...seen]).toEqual([{ ssl: true, usename: "gateway" }]);
    await store.close();
  });

  test.each([
    ["of another CA", () => address(`sslmode=verify-full&sslrootcert=${file("stranger.crt")}`)],
    ["of no CA that the system knows", () => address("sslmode=verify-full")],
    ["for another name", () => address(`sslmode=verify-full&sslrootcert=${file("ca.crt")}`, "localhost")],
  ])("a certificate %s is refused, in words without the password", async (_, url) => {
    const thrown = await catchThrown(openPostgresStore({ url: url(), decide: decideByDemand }));
    expect(String(thrown)).toMatch(/can't be opened: .*(certificate|verify|CERT|ALTNAME)/i);
    expect(Bun.inspect(thrown)).not.toContain(PASSWORD);
  });
});
