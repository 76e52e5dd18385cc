// A role of the tests' PostgreSQL that has to prove its password.
import { SQL } from "bun";

/** Makes a role that logs in with this password. All others are still trusted. */
export async function addRole(url: string, name: string, password: string): Promise<void> {
  await using database = new SQL(url, { max: 1 });
  const [{ file }] = await database`SELECT current_setting('hba_file') AS file`;
  const rules = [`host all ${name} 127.0.0.1/32 scram-sha-256`, "host all all 127.0.0.1/32 trust"];
  await database.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`);
  await database.unsafe(`COPY (SELECT unnest(ARRAY['${rules.join("', '")}'])) TO '${file}'`);
  await database.unsafe("SELECT pg_reload_conf()");
}
