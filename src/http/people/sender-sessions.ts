// /admin/v1/sessions: one's own sessions of the console, and the end of one.
import { Elysia } from "elysia";
import { recordAct } from "../../admin/audit/audit-trail.ts";
import {
  endSenderSession,
  listSenderSessions,
  senderSessionSchema,
  senderSessionsSchema,
} from "../../admin/people/sender-sessions.ts";
import { describeRoute, returnsBody } from "../openapi/route-schema.ts";
import { JSON_HEADERS } from "../serve/answers.ts";
import {
  findOperatorSession,
  nameRequest,
  type OperatorParts,
  type OperatorRequest,
  proveOperator,
  readAct,
} from "./operator.ts";

const TAG = "Session";

export function senderSessionRoutes(ports: OperatorParts) {
  return new Elysia({ prefix: "/admin/v1" })
    .onTransform(nameRequest)
    .get(
      "/sessions",
      async ({ request, server, route, set }) => {
        const asker = await readAsker(ports, { request, server, route });
        Object.assign(set.headers, JSON_HEADERS);
        return listSenderSessions(ports.world, ports.adminToken, asker);
      },
      {
        response: returnsBody(senderSessionsSchema),
        ...describeRoute(TAG, "listSessions", "List one's own sessions of the console, newest first"),
      },
    )
    .delete(
      "/sessions/:id",
      async ({ params: { id }, request, server, route, set }) => {
        const asked = { request, server, route };
        const asker = await readAsker(ports, asked);
        const ended = await endSenderSession(ports.world, ports.adminToken, asker, id);
        const target = { type: "session", id, name: "" } as const;
        await recordAct(ports.world, readAct(ports, asked, asker.access), {
          action: "session.ended",
          target,
        });
        Object.assign(set.headers, JSON_HEADERS);
        return ended;
      },
      {
        response: returnsBody(senderSessionSchema),
        ...describeRoute(TAG, "endSession", "End one of one's own sessions, at once"),
      },
    );
}

async function readAsker(ports: OperatorParts, asked: OperatorRequest) {
  const { access } = await proveOperator(ports, asked);
  const hasBearer = asked.request.headers.has("authorization");
  const secret = hasBearer ? null : ports.cookies.readSession(asked.request);
  const live = secret === null ? null : await findOperatorSession(ports, secret);
  return { access, session: live?.session ?? null };
}
