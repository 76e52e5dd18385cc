// Rewrites the tags whose value is a person's address: of requests, their sums, keys and accounts.
import { readInteger, readText } from "../columns/found.ts";
import { bind, type Engine, type Statement } from "../engine/engine.ts";
import { escapeLike, type Mark } from "../engine/sql.ts";

const DAY_MS = 86_400_000;

/** The id takes the place of the address, so that sums stay apart. A day's tags say where to look. */
export async function eraseTags({ mark, run, change }: Engine, id: string, email: string): Promise<void> {
  const end = `%=${escapeLike(email.toLowerCase())}`;
  const isNamed = (column: string) => `lower(${column}) LIKE ${mark(1)} ESCAPE '\\'`;
  const days = await run(bind(`SELECT account_id, day_ms, tag FROM tag_of_day WHERE ${isNamed("tag")}`, end));
  for (const found of days) {
    const day = {
      accountId: readText(found, "account_id"),
      dayMs: readInteger(found, "day_ms"),
      tag: readText(found, "tag"),
    };
    const writes = rewriteDay(mark, day, renameTag(day.tag, id));
    await change([], () => ({ writes, toResult: () => undefined }));
  }
  for (const table of ["gateway_key", "account"]) {
    const named = `SELECT id, tags FROM ${table} WHERE lower(',' || tags || ',') LIKE ${mark(1)} ESCAPE '\\'`;
    for (const found of await run(bind(named, `${end},%`))) {
      const tags = readText(found, "tags")
        .split(",")
        .map((tag) => (isValue(tag, email) ? renameTag(tag, id) : tag));
      const text = `UPDATE ${table} SET tags = ${mark(1)} WHERE id = ${mark(2)}`;
      const writes = [bind(text, tags.join(","), readText(found, "id"))];
      await change([], () => ({ writes, toResult: () => undefined }));
    }
  }
}

interface TagDay {
  readonly accountId: string;
  readonly dayMs: number;
  readonly tag: string;
}

function rewriteDay(mark: Mark, { accountId, dayMs, tag }: TagDay, renamed: string): readonly Statement[] {
  const [first, second, third, fourth, fifth] = [1, 2, 3, 4, 5].map(mark);
  const inDay = (column: string) =>
    `account_id = ${first} AND ${column} >= ${second} AND ${column} < ${third}`;
  const untilMs = dayMs + DAY_MS;
  const swap = `replace(',' || tags || ',', ',' || ${fourth} || ',', ',' || ${fifth} || ',')`;
  const requests = `UPDATE request SET tags = trim(${swap}, ',')
    WHERE ${inDay("at_ms")} AND ',' || tags || ',' LIKE ${mark(6)} ESCAPE '\\'`;
  const sums = `UPDATE hourly_tag SET tag = ${fifth} WHERE ${inDay("hour_ms")} AND tag = ${fourth}`;
  const days = `UPDATE tag_of_day SET tag = ${fourth} WHERE account_id = ${first} AND day_ms = ${second} AND tag = ${third}`;
  return [
    bind(requests, accountId, dayMs, untilMs, tag, renamed, `%,${escapeLike(tag)},%`),
    bind(sums, accountId, dayMs, untilMs, tag, renamed),
    bind(days, accountId, dayMs, tag, renamed),
  ];
}

function isValue(tag: string, email: string): boolean {
  return tag.slice(tag.indexOf("=") + 1).toLowerCase() === email.toLowerCase();
}

function renameTag(tag: string, id: string): string {
  return `${tag.slice(0, tag.indexOf("="))}=${id}`;
}
