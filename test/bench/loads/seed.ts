// A store filled in bulk: many keys, each with its own funded account, and secrets derived from their numbers.
import { Database } from "bun:sqlite";
import { crc32 } from "node:zlib";
import { openStore } from "../../../src/app/start/open-store.ts";
import { derivePepper, parseMasterKey } from "../../../src/keys/master.ts";
import { digestSecret } from "../../../src/keys/secret.ts";

/** Used by the benchmarks' stores only. */
export const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FUNDED_NANO_USD = 1_000_000_000_000;

/** The secret of the key with that number, well formed and no easier to guess than a real one. */
export function makeSecret(number: number): string {
  const text = `sk-${String(number).padStart(43, "0")}`;
  let rest = crc32(text);
  let checksum = "";
  for (let digit = 0; digit < 6; digit++) {
    checksum = DIGITS.charAt(rest % DIGITS.length) + checksum;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text + checksum;
}

export function makeKeyId(number: number): string {
  return `key_${String(number).padStart(21, "0")}`;
}

export interface Seed {
  readonly keys?: number;
  /** Each key's own. Undefined for the configuration's. */
  readonly requestsPerDay?: number;
  readonly fundedNanoUsd?: number;
}

/** Creates the store at the path. */
export async function seedStore(path: string, seed: Seed): Promise<void> {
  const { keys = 1, requestsPerDay = "default", fundedNanoUsd = FUNDED_NANO_USD } = seed;
  const { store } = await openStore(`sqlite:${path}`, MASTER_KEY);
  await store.close();
  const database = new Database(path, { readwrite: true, strict: true });
  database.run("PRAGMA synchronous = OFF");
  database.transaction(() => {
    addAccounts(database, keys, fundedNanoUsd);
    addKeys(database, keys, JSON.stringify(requestsPerDay));
  })();
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** As after a top-up: the balance is the sum of the journal. */
function addAccounts(database: Database, keys: number, funded: number): void {
  const numbers = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $keys)";
  const nowMs = Date.now();
  const bound = { keys, nowMs, funded };
  database
    .query(
      `${numbers} INSERT INTO account (id, name, balance_nano, created_at_ms, entries)
       SELECT printf('acct_%021d', i), 'bench', $funded, $nowMs, $funded > 0 FROM n`,
    )
    .run(bound);
  if (funded === 0) return;
  database
    .query(
      `${numbers} INSERT INTO entry (account_id, seq, at_ms, kind, balance_nano, held_nano, funding_nano, revenue_nano, overrun_nano, balance_after_nano)
       SELECT printf('acct_%021d', i), 1, $nowMs, 'topup', $funded, 0, -$funded, 0, 0, $funded FROM n`,
    )
    .run(bound);
}

function addKeys(database: Database, keys: number, requestsPerDay: string): void {
  const pepper = derivePepper(parseMasterKey(MASTER_KEY, "MASTER_KEY"));
  const insert = database.query(
    `INSERT INTO gateway_key (id, digest, name, account_id, last4, created_at_ms, allowed_models, requests_per_day)
     VALUES (?, ?, 'bench', ?, ?, ?, 'null', ?)`,
  );
  const nowMs = Date.now();
  for (let number = 0; number < keys; number++) {
    const secret = makeSecret(number);
    const account = makeKeyId(number).replace("key_", "acct_");
    insert.run(
      makeKeyId(number),
      digestSecret(secret, pepper),
      account,
      secret.slice(-4),
      nowMs,
      requestsPerDay,
    );
  }
}
