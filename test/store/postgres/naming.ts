// The tables that name somebody, before and after they were made anonymous.
import { SQL } from "bun";
import { actAs } from "../../../src/admin/audit/audit-trail.ts";
import { anonymiseMember } from "../../../src/admin/people/anonymising.ts";
import { openStore } from "../../../src/app/start/open-store.ts";
import { TESTER } from "../../harness/acting.ts";
import { makeKey, makeRecord, writeRecord } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { EMAIL, fill, MASTER_KEY } from "../../people/ends/ends.ts";

/** Returns the tables with a row that names the person. */
export async function listNaming(database: SQL): Promise<readonly string[]> {
  const tables: readonly { name: string }[] =
    await database`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
  const naming: string[] = [];
  for (const { name } of tables) {
    const rows = await database.unsafe(`SELECT 1 FROM ${name} WHERE ${name}::text ILIKE $1 LIMIT 1`, [
      `%${EMAIL}%`,
    ]);
    if (rows.length > 0) naming.push(name);
  }
  return naming;
}

/** Makes somebody anonymous who stands in many tables. `direct` is the same database as superuser. */
export async function eraseOne(address: string, direct: string) {
  await using database = new SQL(direct, { max: 1 });
  const opened = await openStore(address, MASTER_KEY);
  const { store, world } = opened;
  await store.beat();
  await fill(opened);
  const [member] = await store.people.members({ limit: 1, after: null });
  const tags = { user: EMAIL };
  await unrecorded(store).addKey(makeKey("key_tagged", { contact: EMAIL, tags }), "digest of tags");
  await unrecorded(store).changeAccount("default", { tags });
  await writeRecord(
    store,
    makeRecord("tagged", { keyId: "key_tagged", tags: `user=${EMAIL}`, atMs: Date.now() }),
  );
  const before = await listNaming(database);
  const parts = { ...actAs(world, TESTER), keysExpireMs: () => null };
  const { erased_at } = await anonymiseMember(parts, member?.id ?? "");
  await store.close();
  const vacuumed: readonly { name: string }[] =
    await database`SELECT relname AS name FROM pg_stat_user_tables WHERE last_vacuum IS NOT NULL`;
  const names = vacuumed.map(({ name }) => name);
  return {
    erasedAt: erased_at,
    before,
    after: await listNaming(database),
    unvacuumed: before.filter((name) => !names.includes(name)),
  };
}
