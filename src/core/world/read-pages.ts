// Reads a list of the store's to its end, a page at a time.
import type { Page, Position } from "./page.ts";

/** Rows are listed by one of these times. */
type PagedRow = { readonly id: string } & ({ readonly atMs: number } | { readonly createdAtMs: number });

/** Yields pages of up to `limit` rows, none of them empty. */
export async function* readPages<Of extends PagedRow>(
  find: (page: Page) => Promise<readonly Of[]>,
  limit: number,
): AsyncGenerator<readonly Of[]> {
  let after: Position | null = null;
  for (;;) {
    const rows: readonly Of[] = await find({ limit, after });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = { atMs: "atMs" in last ? last.atMs : last.createdAtMs, id: last.id };
  }
}
