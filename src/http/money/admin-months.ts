// /admin/v1: a month of all accounts, as JSON or CSV, and what each account and person has cost in the running one.
import { Elysia } from "elysia";
import { formatMonth, getMonth, monthSchema } from "../../admin/money/months.ts";
import {
  listPeopleSpending,
  type PeopleSpendingParts,
  peopleSpendingQuery,
  peopleSpendingSchema,
} from "../../admin/money/people-spending.ts";
import { listSpending, type SpendingParts, spendingSchema } from "../../admin/money/spending.ts";
import type { StatementParts } from "../../admin/money/statements.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";
import { JSON_HEADERS } from "../serve/answers.ts";
import { CSV, sendCsv } from "./csv-answer.ts";

export function monthRoutes(
  ports: WritingParts,
  parts: StatementParts & SpendingParts & PeopleSpendingParts,
) {
  const { reads } = createOperatorHooks(ports, "Accounts");
  return new Elysia({ prefix: "/admin/v1" })
    .get(
      "/statements/:month",
      async ({ params: { month }, request }) => {
        const { scope } = readOperator(request);
        const isCsv = month.endsWith(CSV);
        const whole = await getMonth(parts, isCsv ? month.slice(0, -CSV.length) : month, scope);
        return isCsv
          ? sendCsv(formatMonth(whole), `statements-${whole.month}`)
          : new Response(JSON.stringify(whole), { headers: JSON_HEADERS });
      },
      {
        ...reads(
          "journal.read",
          "getMonth",
          "Get the sums of all accounts' statements of a month, or with `.csv` the same as CSV",
        ),
        response: returnsBody(monthSchema),
      },
    )
    .get("/spending", ({ request }) => listSpending(parts, readOperator(request).scope), {
      ...reads(
        "usage.read",
        "listSpending",
        "List what each account has cost in the running month, with its forecast, fullest budget, keys and people",
      ),
      response: returnsBody(spendingSchema),
    })
    .get(
      "/spending/people",
      ({ query, request }) => listPeopleSpending(parts, query, readOperator(request).scope),
      {
        ...reads(
          "usage.read",
          "listPeopleSpending",
          "List what each person has cost in the running month, with its forecast, the month before and the fullest budget",
        ),
        query: takesQuery(peopleSpendingQuery),
        response: returnsBody(peopleSpendingSchema),
      },
    );
}
