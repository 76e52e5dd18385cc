// Fills a gateway's store with a month of requests, refusals and movements, copied from rows that it wrote itself.
import { Database } from "bun:sqlite";
import { SQL } from "bun";

const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;
/** An odd number: i times it, below 2^32, is another number for each i, in no order. */
const SCATTER = 2_654_435_761;
const SPACE = 4_294_967_296;
/** Rows of the oldest day alone have these, so that a search for them goes through the whole log. */
export const RARE = { status: 418, address: "192.0.2.77", code: "context_length_exceeded" } as const;
const RARE_ROWS = 5;
/** Few enough to be sorted in memory. */
const ROWS_AT_ONCE = 250_000;

export interface Raw {
  run(sql: string): Promise<void>;
  /** The rows of a query, each a list of its values. */
  list(sql: string): Promise<readonly (readonly unknown[])[]>;
  columns(table: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens a store's database without the store. */
export async function openRaw(url: string): Promise<Raw> {
  if (!url.startsWith("sqlite:")) return openPostgres(url);
  const database = new Database(url.slice("sqlite:".length), { readwrite: true });
  database.run("PRAGMA synchronous = OFF");
  const list = async (sql: string) => database.query<unknown, []>(sql).values();
  return {
    run: async (sql) => void database.run(sql),
    list,
    columns: async (table) =>
      (await list(`SELECT name FROM pragma_table_info('${table}')`)).map(([name]) => String(name)),
    close: async () => database.close(),
  };
}

async function openPostgres(url: string): Promise<Raw> {
  const connection = new SQL(url, { max: 1 });
  const list = async (sql: string): Promise<readonly (readonly unknown[])[]> =>
    await connection.unsafe(sql).values();
  return {
    run: async (sql) => void (await connection.unsafe(sql)),
    list,
    columns: async (table) =>
      (await list(`SELECT column_name FROM information_schema.columns WHERE table_name = '${table}'`)).map(
        ([name]) => String(name),
      ),
    close: () => connection.close(),
  };
}

/** The table's columns, with an expression for those that a copy has of its own. */
export async function copyColumns(raw: Raw, table: string, own: Readonly<Record<string, string>>) {
  const names = await raw.columns(table);
  return {
    into: names.join(", "),
    from: names.map((name) => own[name] ?? `template.${name}`).join(", "),
  };
}

export const numbers = (rows: number, after = 0) =>
  `WITH RECURSIVE n (i) AS (SELECT CAST(${after + 1} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${after + rows}),
    m AS (SELECT i, (i * ${SCATTER}) % ${SPACE} AS scattered FROM n)`;
/** Few keys make most of the requests. */
const OWNER = (owners: number) => `((scattered % 1000) * (scattered % 1000) * ${owners}) / 1000000`;
const hex = (text: string) => `substr('00000000000000000000000000000000' || ${text}, length(${text}) + 1)`;
const asText = (number: string) => `CAST(${number} AS TEXT)`;

export interface Fill {
  /** Of each table. */
  readonly rows: number;
  readonly nowMs: number;
}

/** Fills the log, then makes the sums, refusals and movements that the gateway would have made. */
export async function fillStore(raw: Raw, fill: Fill): Promise<void> {
  const { startMs, stepMs, atMs, owners } = await fillLog(raw, fill);
  await raw.run(
    `UPDATE request SET status = ${RARE.status}, address = '${RARE.address}', fault_code = '${RARE.code}'
      WHERE at_ms <= ${startMs + RARE_ROWS * stepMs}`,
  );
  await fillSums(raw);
  await fillRefusals(raw, fill.rows, { atMs, owners });
  await fillJournal(raw, fill.rows, atMs);
  await raw.run("ANALYZE");
}

/** Copies the log's rows over the month before, in the order of time. */
export async function fillLog(raw: Raw, { rows, nowMs }: Fill) {
  const startMs = nowMs - MONTH_MS;
  const stepMs = Math.floor(MONTH_MS / rows);
  const atMs = `${startMs} + i * ${stepMs}`;
  const number = "CAST(row_number() OVER (ORDER BY id) - 1 AS BIGINT) AS number";
  await raw.run(`CREATE TEMP TABLE template AS SELECT ${number}, request.* FROM request`);
  await raw.run(
    `CREATE TEMP TABLE owner AS SELECT ${number}, id AS key_id, account_id FROM gateway_key WHERE id <> 'console'`,
  );
  const [[templates, owners] = []] = await raw.list(
    "SELECT (SELECT count(*) FROM template), (SELECT count(*) FROM owner)",
  );
  const joined = `FROM m JOIN template ON template.number = (scattered / 1000) % ${templates}
    JOIN owner ON owner.number = ${OWNER(Number(owners))} ORDER BY i`;
  const request = await copyColumns(raw, "request", {
    id: `'chatcmpl-' || ${hex(asText("scattered"))}`,
    request_id: `'req_' || ${hex(asText("scattered"))}`,
    at_ms: atMs,
    ended_at_ms: `${atMs} + template.total_ms`,
    key_id: "owner.key_id",
    account_id: "owner.account_id",
    session: `CASE WHEN i % 3 = 0 THEN 'session-' || ${asText("i / 60")} END`,
    trace_id: `CASE WHEN i % 2 = 0 THEN ${hex(asText("scattered"))} END`,
    address: `'10.0.' || ${asText("(scattered / 7) % 256")} || '.' || ${asText("i % 256")}`,
    member_id: `CASE WHEN i % 2 = 0 THEN 'member-' || ${asText("scattered % 500")} END`,
  });
  for (let after = 0; after < rows; after += ROWS_AT_ONCE) {
    const some = numbers(Math.min(ROWS_AT_ONCE, rows - after), after);
    await raw.run(`INSERT INTO request (${request.into}) ${some} SELECT ${request.from} ${joined}`);
  }
  return { startMs, stepMs, atMs, owners: Number(owners) };
}

async function fillSums(raw: Raw): Promise<void> {
  const hour = `at_ms - at_ms % ${HOUR_MS}`;
  const model = "coalesce(model_used, model_tried, model_planned, '')";
  const by = `${hour}, account_id, key_id, ${model}, operation, surface`;
  const summed = (await raw.columns("hourly_usage")).filter((name) =>
    /^(?!edge_).*_(tokens|nano|units)$|^(searches|images|seconds|characters|pages)$/.test(name),
  );
  await raw.run("DELETE FROM hourly_usage");
  await raw.run(
    `INSERT INTO hourly_usage (hour_ms, account_id, key_id, model, operation, surface, member, provider, outcome, tag,
        requests, errors, ${summed.join(", ")})
      SELECT ${by}, '', coalesce(provider, ''), coalesce(outcome, ''), '', count(*),
        sum(CASE WHEN status >= 400 AND status <> 499 THEN 1 ELSE 0 END), ${summed.map((name) => `sum(${name})`).join(", ")}
      FROM request GROUP BY ${by}, coalesce(provider, ''), coalesce(outcome, '')`,
  );
  await raw.run("DELETE FROM first_token_hour");
  await raw.run(
    `INSERT INTO first_token_hour (hour_ms, account_id, key_id, model, operation, surface, bucket, requests)
      SELECT ${by}, first_token_ms % 40, count(*) FROM request WHERE first_token_ms IS NOT NULL
      GROUP BY ${by}, first_token_ms % 40`,
  );
}

async function fillRefusals(
  raw: Raw,
  rows: number,
  { atMs, owners }: { readonly atMs: string; readonly owners: number },
): Promise<void> {
  const codes = ["rate_limit_exceeded", "budget_exceeded", "insufficient_balance", "model_not_found"];
  const code = codes.map((one, at) => `WHEN ${at} THEN '${one}'`).join(" ");
  await raw.run(
    `INSERT INTO refusal (account_id, id, at_ms, key_id, last4, model_asked, route, address, code, status, requests)
      ${numbers(rows)}
      SELECT owner.account_id, 'r' || ${asText("i")}, ${atMs}, owner.key_id, 'abcd', 'OpenAI#gpt-5.4', '/v1/chat/completions',
        '10.0.' || ${asText("(scattered / 7) % 256")} || '.' || ${asText("i % 256")},
        CASE (scattered / 11) % ${codes.length} ${code} END, 429, 1 + i % 9
      FROM m JOIN owner ON owner.number = ${OWNER(owners)} ORDER BY i`,
  );
  await raw.run(
    `UPDATE refusal SET code = '${RARE.code}', address = '${RARE.address}', model_asked = 'OpenAI#rare'
      WHERE id IN (${Array.from({ length: RARE_ROWS }, (_, at) => `'r${at + 1}'`).join(", ")})`,
  );
}

/** One account's holds and posts, half of the rows each. */
async function fillJournal(raw: Raw, rows: number, atMs: string): Promise<void> {
  const [[account, entries] = []] = await raw.list(
    "SELECT id, entries FROM account WHERE id <> 'default' ORDER BY created_at_ms LIMIT 1",
  );
  const amount = "CASE WHEN i % 2 = 1 THEN -1000 ELSE 1000 END";
  await raw.run(
    `INSERT INTO entry (account_id, seq, at_ms, kind, balance_nano, held_nano, funding_nano, revenue_nano, overrun_nano,
        balance_after_nano, request_id)
      ${numbers(rows)}
      SELECT '${account}', ${entries} + i, ${atMs}, CASE WHEN i % 2 = 1 THEN 'hold' ELSE 'void' END, ${amount}, -(${amount}),
        0, 0, 0, 1000000, 'chatcmpl-' || ${asText("i / 2")} FROM m ORDER BY i`,
  );
  await raw.run(`UPDATE account SET entries = entries + ${rows} WHERE id = '${account}'`);
}
