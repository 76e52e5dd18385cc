// /admin/v1: what moves an account's money, and its journal.
import { Elysia } from "elysia";
import { listNearing, type NearingParts, nearingSchema } from "../../admin/limits/nearing.ts";
import { accountSchema, requireInAccount } from "../../admin/money/accounts.ts";
import { closeAccount, closingSchema, reopenAccount, reopeningSchema } from "../../admin/money/closing.ts";
import { entrySchema, journalQuery, listJournal } from "../../admin/money/journal.ts";
import { formatStatement, getStatement, statementSchema } from "../../admin/money/statements.ts";
import { adjustAccount, adjustmentSchema, topUpAccount, topUpSchema } from "../../admin/money/topups.ts";
import { wrapRows } from "../../admin/schema.ts";
import type { AdminWorld } from "../../admin/world.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import type { Permission } from "../../people/roles.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";
import { JSON_HEADERS } from "../serve/answers.ts";

interface MoneyParts extends AdminWorld, NearingParts {
  readonly dayRules: () => DayRules;
}

export function moneyRoutes(ports: WritingParts, parts: MoneyParts) {
  return new Elysia({ prefix: "/admin/v1" })
    .use(movementRoutes(ports, parts))
    .use(closingRoutes(ports, parts))
    .use(viewRoutes(ports, parts));
}

/** Returns the world of a sender who has the permission in the account. */
async function enterAccount(parts: MoneyParts, request: Request, permission: Permission, accountId: string) {
  await requireInAccount(parts, readOperator(request).access, permission, accountId);
  return { ...actAsSender(parts, request), timeZone: parts.dayRules().timeZone };
}

function movementRoutes(ports: WritingParts, parts: MoneyParts) {
  const { writes } = createOperatorHooks(ports, "Accounts");
  const made = { 201: returnsBody(accountSchema) };
  return new Elysia()
    .post(
      "/accounts/:id/topups",
      async ({ params: { id }, body, request, status }) => {
        const world = await enterAccount(parts, request, "money.move", id);
        return status(201, await topUpAccount(world, id, body, request.headers.get("idempotency-key")));
      },
      {
        ...writes("money.move", "topUpAccount", "Top up an account, once per `Idempotency-Key`"),
        body: takesBody(topUpSchema),
        response: made,
      },
    )
    .post(
      "/accounts/:id/adjustments",
      async ({ params: { id }, body, request, status }) => {
        const world = await enterAccount(parts, request, "money.move", id);
        return status(201, await adjustAccount(world, id, body, request.headers.get("idempotency-key")));
      },
      {
        ...writes(
          "money.move",
          "adjustAccount",
          "Add to an account or take from it, with a reason, once per `Idempotency-Key`",
        ),
        body: takesBody(adjustmentSchema),
        response: made,
      },
    );
}

function closingRoutes(ports: WritingParts, parts: MoneyParts) {
  const { writes } = createOperatorHooks(ports, "Accounts");
  return new Elysia()
    .post(
      "/accounts/:id/close",
      async ({ params: { id }, body, request }) =>
        closeAccount(await enterAccount(parts, request, "accounts.close", id), id, body),
      {
        ...writes(
          "accounts.close",
          "closeAccount",
          "Close an account: revoke its keys, delete what is kept of it, and pay out its balance",
        ),
        body: takesBody(closingSchema),
        response: returnsBody(accountSchema),
      },
    )
    .post(
      "/accounts/:id/reopen",
      async ({ params: { id }, body, request }) =>
        reopenAccount(await enterAccount(parts, request, "accounts.close", id), id, body),
      {
        ...writes("accounts.close", "reopenAccount", "Open a closed account again, with new keys"),
        body: takesBody(reopeningSchema),
        response: returnsBody(accountSchema),
      },
    );
}

const CSV = ".csv";

function sendCsv(text: string, name: string): Response {
  return new Response(text, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-disposition": `attachment; filename="${name}.csv"`,
    },
  });
}

function viewRoutes(ports: WritingParts, parts: MoneyParts) {
  const { reads } = createOperatorHooks(ports, "Accounts");
  return new Elysia()
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
