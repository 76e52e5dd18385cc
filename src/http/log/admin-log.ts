// /admin/v1: the request log, the refusals and the figures, each narrowed to what the sender sees.
import { Elysia } from "elysia";
import { overviewQuery, overviewSchema, readOverview } from "../../admin/log/overview.ts";
import { listRefusals, refusalSchema, refusalsQuery } from "../../admin/log/refusals.ts";
import { findNeighbours, neighboursSchema } from "../../admin/log/request-neighbours.ts";
import { requestDetailSchema, requestSchema, requestsQuery } from "../../admin/log/request-schema.ts";
import { getRequest, listRequests, type RequestParts } from "../../admin/log/requests.ts";
import { savingsQuery, savingsSchema, sumSavings } from "../../admin/log/savings.ts";
import { type SearchParts, searchQuery, searchTextSchema, searchThings } from "../../admin/log/search.ts";
import { resultSchema } from "../../admin/log/search-result.ts";
import { sumUsage, usageQuery, usageSchema } from "../../admin/log/usage.ts";
import type { RowParts } from "../../admin/log/usage-rows.ts";
import { wrapRows, wrapSearched } from "../../admin/schema.ts";
import type { AdminWorld } from "../../admin/world.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { noteContent } from "../audit/audited.ts";
import { returnsBody, takesBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

export interface LogParts extends AdminWorld, Pick<RequestParts, "contentVault"> {
  readonly dayRules: () => DayRules;
  readonly keepMs: RowParts["keepMs"];
  readonly names: SearchParts["names"];
  readonly providerNames: () => readonly string[];
  /** Writes the refusals that this process has counted, so that a list has them at once. */
  readonly writeRefusals: () => Promise<void>;
}

export function logRoutes(ports: WritingParts, parts: LogParts) {
  return new Elysia()
    .use(listRoutes(ports, parts))
    .use(searchRoutes(ports, parts))
    .use(figureRoutes(ports, parts));
}

function listRoutes(ports: WritingParts, parts: LogParts) {
  const { reads } = createOperatorHooks(ports, "Log");
  return new Elysia()
    .get(
      "/admin/v1/requests",
      ({ query, request }) => listRequests(parts, query, readOperator(request).scope),
      {
        ...reads("requests.read", "listRequests", "List the requests, newest first"),
        query: takesQuery(requestsQuery),
        response: returnsBody(wrapSearched(requestSchema)),
      },
    )
    .get(
      "/admin/v1/refusals",
      async ({ query, request }) => {
        await parts.writeRefusals();
        return listRefusals(parts, query, readOperator(request).scope);
      },
      {
        ...reads(
          "requests.read",
          "listRefusals",
          "List the requests refused before any provider was called, newest first",
        ),
        query: takesQuery(refusalsQuery),
        response: returnsBody(wrapSearched(refusalSchema)),
      },
    )
    .get(
      "/admin/v1/requests/:id",
      async ({ params: { id }, request }) =>
        noteContent(parts, request, await getRequest(parts, id, readOperator(request).access)),
      {
        ...reads("requests.read", "getRequest", "Get a request with all its details"),
        response: returnsBody(requestDetailSchema),
      },
    )
    .get(
      "/admin/v1/requests/:id/neighbours",
      ({ params: { id }, request }) => findNeighbours(parts, id, readOperator(request).scope),
      {
        ...reads("requests.read", "getNeighbours", "Get the ids of the requests before and after one"),
        response: returnsBody(neighboursSchema),
      },
    );
}

function searchRoutes(ports: WritingParts, parts: LogParts) {
  const { reads, readsBody } = createOperatorHooks(ports, "Log");
  return new Elysia()
    .get(
      "/admin/v1/search",
      ({ query, request }) => searchThings(parts, query, readOperator(request).access),
      {
        ...reads(
          "requests.read",
          "search",
          "Find requests, keys, accounts, sessions, traces, models and providers by id or name",
        ),
        query: takesQuery(searchQuery),
        response: returnsBody(wrapRows(resultSchema)),
      },
    )
    .post(
      "/admin/v1/search",
      ({ body, request }) => searchThings(parts, body, readOperator(request).access),
      {
        ...readsBody(
          "requests.read",
          "searchText",
          "Find the same, and the key or token that a whole secret is of: it travels in the body, not in an address",
        ),
        body: takesBody(searchTextSchema),
        response: returnsBody(wrapRows(resultSchema)),
      },
    );
}

function figureRoutes(ports: WritingParts, parts: LogParts) {
  const { reads } = createOperatorHooks(ports, "Log");
  return new Elysia()
    .get("/admin/v1/usage", ({ query, request }) => sumUsage(parts, query, readOperator(request).scope), {
      ...reads("usage.read", "sumUsage", "Sum up the usage in a time range"),
      query: takesQuery(usageQuery),
      response: returnsBody(usageSchema),
    })
    .get("/admin/v1/savings", ({ query, request }) => sumSavings(parts, query, readOperator(request).scope), {
      ...reads(
        "usage.read",
        "sumSavings",
        "Get what Router#fair and Router#light promised, kept and saved, by week",
      ),
      query: takesQuery(savingsQuery),
      response: returnsBody(savingsSchema),
    })
    .get(
      "/admin/v1/overview",
      ({ query, request }) => readOverview(parts, query, readOperator(request).scope),
      {
        ...reads(
          "usage.read",
          "overview",
          "Get the figures of a time range in steps, and of the one before it",
        ),
        query: takesQuery(overviewQuery),
        response: returnsBody(overviewSchema),
      },
    );
}
