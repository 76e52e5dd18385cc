// /admin/v1: an account's journal and statements, and what is near its end. Statements are JSON or CSV, which no row of a thing says.
import { Elysia } from "elysia";
import { listNearing, type NearingParts, nearingSchema } from "../../admin/limits/nearing.ts";
import { requireInAccount } from "../../admin/money/accounts.ts";
import { entrySchema, journalQuery, listJournal } from "../../admin/money/journal.ts";
import { formatStatement, getStatement, statementSchema } from "../../admin/money/statements.ts";
import { wrapRows } from "../../admin/schema.ts";
import type { AdminWorld } from "../../admin/world.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";
import { JSON_HEADERS } from "../serve/answers.ts";
import { CSV, sendCsv } from "./csv-answer.ts";

interface MoneyParts extends AdminWorld, NearingParts {
  readonly dayRules: () => DayRules;
}

export function moneyRoutes(ports: WritingParts, parts: MoneyParts) {
  const { reads } = createOperatorHooks(ports, "Accounts");
  return new Elysia({ prefix: "/admin/v1" })
    .get(
      "/accounts/:id/journal",
      async ({ params: { id }, query, request }) => {
        const { access, scope } = readOperator(request);
        await requireInAccount(parts, access, "journal.read", id);
        return listJournal(parts, id, query, scope);
      },
      {
        ...reads("journal.read", "listJournal", "List an account's journal entries, newest first"),
        query: takesQuery(journalQuery),
        response: returnsBody(wrapRows(entrySchema)),
      },
    )
    .get(
      "/accounts/:id/statements/:month",
      async ({ params: { id, month }, request }) => {
        const { access, scope } = readOperator(request);
        await requireInAccount(parts, access, "journal.read", id);
        const isCsv = month.endsWith(CSV);
        const statement = await getStatement(parts, id, isCsv ? month.slice(0, -CSV.length) : month, scope);
        return isCsv
          ? sendCsv(formatStatement(statement), `statement-${statement.month}`)
          : new Response(JSON.stringify(statement), { headers: JSON_HEADERS });
      },
      {
        ...reads(
          "journal.read",
          "getStatement",
          "Get the statement of a month, or with `.csv` its lines as CSV",
        ),
        response: returnsBody(statementSchema),
      },
    )
    .get("/nearing", ({ request }) => listNearing(parts, readOperator(request).scope), {
      ...reads(
        "usage.read",
        "listNearing",
        "List the keys, members and accounts whose budgets are nearest to their end",
      ),
      response: returnsBody(wrapRows(nearingSchema)),
    });
}
