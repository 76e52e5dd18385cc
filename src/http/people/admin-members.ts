// /admin/v1/members: people who signed in, what they may do, and the end of it. By hand: signing in makes them, not a request.
import { Elysia } from "elysia";
import {
  memberLimitsSchema,
  memberResetSchema,
  resetMemberBudgets,
} from "../../admin/limits/budget-reset.ts";
import { pageQuery } from "../../admin/list.ts";
import { anonymiseMember } from "../../admin/people/anonymising.ts";
import { getMember, memberDetailSchema } from "../../admin/people/member-detail.ts";
import { getStays, staySchema } from "../../admin/people/member-stays.ts";
import {
  type ChangingParts,
  changeMember,
  listMembers,
  memberChangeSchema,
  memberSchema,
  membersQuery,
} from "../../admin/people/members.ts";
import { wrapRows } from "../../admin/schema.ts";
import { readSortCosts } from "../../admin/sort-costs.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "./operator.ts";

interface MemberRouteParts extends ChangingParts {
  readonly ledger: Pick<Ledger, "resetBudgets" | "memberLimits">;
  readonly dayRules: () => DayRules;
}

export function memberRoutes(operator: WritingParts, parts: MemberRouteParts) {
  return new Elysia().use(readingRoutes(operator, parts)).use(changingRoutes(operator, parts));
}

function readingRoutes(operator: WritingParts, parts: MemberRouteParts) {
  const { reads } = createOperatorHooks(operator, "People");
  return new Elysia({ prefix: "/admin/v1" })
    .get(
      "/members",
      ({ query, request }) => {
        const { scope, access } = readOperator(request);
        return listMembers(parts, query, scope, readSortCosts(parts, access));
      },
      {
        ...reads("members.read", "listMembers", "List the people who signed in, newest first"),
        query: takesQuery(membersQuery),
        response: returnsBody(wrapRows(memberSchema)),
      },
    )
    .get(
      "/members/:id",
      ({ params: { id }, request }) => getMember(parts, id, readOperator(request).access),
      {
        ...reads("session.read", "getMember", "Get a person, with their limits and what is used of these"),
        response: returnsBody(memberDetailSchema),
      },
    )
    .get(
      "/members/:id/stays",
      ({ params: { id }, query, request }) => getStays(parts, id, query, readOperator(request).access),
      {
        ...reads("members.read", "listStays", "List what a person knows the secret of, or looks after"),
        query: takesQuery(pageQuery),
        response: returnsBody(wrapRows(staySchema)),
      },
    );
}

function changingRoutes(operator: WritingParts, parts: MemberRouteParts) {
  const { reads, writes } = createOperatorHooks(operator, "People");
  const member = returnsBody(memberSchema);
  return new Elysia({ prefix: "/admin/v1" })
    .patch(
      "/members/:id",
      ({ params: { id }, body, request }) =>
        changeMember(actAsSender(parts, request), id, body, readOperator(request).access),
      {
        ...writes(
          "members.write",
          "changeMember",
          "Give a person a role besides the rules, or shut them out",
        ),
        body: takesBody(memberChangeSchema),
        response: member,
      },
    )
    .post(
      "/members/:id/budgets/reset",
      async ({ params: { id }, body, request, status }) =>
        status(
          201,
          await resetMemberBudgets(
            { ...actAsSender(parts, request), ledger: parts.ledger },
            id,
            body,
            readOperator(request).access,
          ),
        ),
      {
        ...writes(
          "members.limit",
          "resetMemberBudgets",
          "Forget what was used of a member's budgets in an account, in their running windows",
        ),
        body: takesBody(memberResetSchema),
        response: { 201: returnsBody(memberLimitsSchema) },
      },
    )
    .post(
      "/members/:id/anonymise",
      async ({ params: { id }, request, status }) =>
        status(201, await anonymiseMember(actAsSender(parts, request), id, readOperator(request).access)),
      {
        ...reads("members.write", "anonymiseMember", "End a person's access for good and forget who it was"),
        response: { 201: member },
      },
    );
}
