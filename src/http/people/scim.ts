// /scim/v2: the company's directory tells by SCIM who is here (RFC 7644). The only place that knows its statuses and headers.
import { Elysia } from "elysia";
import { actAs } from "../../admin/audit/audit-trail.ts";
import { type DirectoryParts, requireDirectory } from "../../admin/people/directory.ts";
import type { DirectorySeen } from "../../admin/people/directory-seen.ts";
import { findDirectoryToken } from "../../admin/people/directory-tokens.ts";
import { Fault, toFault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { NamedToken } from "../../core/people/people.ts";
import { isWithin } from "../../core/world/address.ts";
import { logBug } from "../../core/world/bug.ts";
import { DirectoryRefusal, type RefusalReason } from "../../people/directory/refusal.ts";
import type { WritingParts } from "../admin-route.ts";
import { createResponse, type HeaderMap } from "../serve/answers.ts";
import { readBearer, requireSecret } from "../serve/auth.ts";
import { findPath } from "../serve/paths.ts";
import { createRefusal, nameRequest, type OperatorRequest, readSender } from "./operator.ts";
import { readScimBody } from "./scim-body.ts";
import { answerScim, type ScimAnswer, type ScimAsk } from "./scim-resources.ts";

const PREFIX = "/scim/v2";
/** The name of the routes for the audit log. */
const ROUTE = `${PREFIX}/*`;
const AT_ONCE_MAX = 32;
const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

const STATUSES: Readonly<Record<RefusalReason, number>> = {
  invalidFilter: 400,
  invalidPath: 400,
  invalidSyntax: 400,
  invalidValue: 400,
  mutability: 400,
  noTarget: 400,
  notFound: 404,
  tooMany: 400,
  uniqueness: 409,
};

interface ScimPorts {
  readonly operator: WritingParts;
  readonly directory: DirectoryParts;
  readonly seen: Pick<DirectorySeen, "note">;
}

export function scimRoutes(ports: ScimPorts) {
  const gate = { open: 0 };
  const handle = ({ request, server }: Pick<OperatorRequest, "request" | "server">) =>
    answer(ports, gate, { request, server, route: ROUTE });
  const hidden = { parse: "none", detail: { hide: true } } as const;
  return new Elysia().onTransform(nameRequest).all(PREFIX, handle, hidden).all(ROUTE, handle, hidden);
}

async function answer(ports: ScimPorts, gate: { open: number }, asked: OperatorRequest): Promise<Response> {
  const { request } = asked;
  let given: ScimAnswer;
  let isKnown = false;
  try {
    requireDirectory(ports.directory);
    const token = await requireToken(ports, asked);
    isKnown = true;
    given = await takeTurn(gate, () => perform(ports, asked, token));
  } catch (error) {
    if (!(error instanceof DirectoryRefusal)) logBug(ports.directory, error);
    given = describeError(error);
  }
  // Nobody else's requests say anything about the directory.
  if (isKnown) ports.seen.note({ method: request.method, path: findPath(request.url), ...given });
  return given.body === null
    ? new Response(null, { status: given.status })
    : createResponse(given.status, JSON.stringify(given.body), {
        "content-type": "application/scim+json; charset=utf-8",
        ...given.headers,
      });
}

async function requireToken(ports: ScimPorts, asked: OperatorRequest): Promise<NamedToken> {
  const { operator, directory } = ports;
  const rules = requireDirectory(directory);
  const secret = requireSecret(readBearer(asked.request.headers));
  const token = await findDirectoryToken(directory, secret);
  if (token === null) {
    const message = "Incorrect token: these routes take a token of the kind 'scim', and no other.";
    throw createRefusal(operator, asked, message);
  }
  const address = operator.readAddress(asked.request, asked.server);
  const from = rules.directory?.from ?? [];
  if (from.length > 0 && !isWithin(from, address)) {
    throw new Fault(
      "address_not_allowed",
      "The directory may not come from your address: 'scim.from' lists where.",
    );
  }
  return token;
}

async function takeTurn<T>(gate: { open: number }, work: () => Promise<T>): Promise<T> {
  if (gate.open >= AT_ONCE_MAX) {
    const message = `At most ${AT_ONCE_MAX} requests of the directory are answered at once.`;
    throw new Fault("rate_limit_exceeded", message, { retryAfterMs: 1000 });
  }
  gate.open++;
  try {
    return await work();
  } finally {
    gate.open--;
  }
}

async function perform(
  { operator, directory }: ScimPorts,
  asked: OperatorRequest,
  { id, name }: NamedToken,
): Promise<ScimAnswer> {
  const { request } = asked;
  const rules = requireDirectory(directory);
  const ask: ScimAsk = {
    method: request.method,
    path: findPath(request.url).slice(PREFIX.length).replace(/\/$/, ""),
    query: new URLSearchParams(URL.parse(request.url)?.search ?? ""),
    baseUrl: `${rules.publicUrl}${PREFIX}`,
    readBody: () => readScimBody(request, operator),
  };
  const act = { ...readSender(operator, asked), actor: { kind: "scim", id, name } as const };
  return answerScim(actAs(directory, act), ask);
}

/** Returns an error in SCIM's own form. A bug says nothing of itself. */
function describeError(error: unknown): ScimAnswer {
  if (error instanceof DirectoryRefusal) {
    const { reason, message } = error;
    const status = STATUSES[reason];
    return { status, body: describe(status, message, reason === "notFound" ? null : reason), headers: {} };
  }
  const fault = toFault(error);
  const { status } = fault.row;
  const { retryAfterMs, allow } = fault.details;
  const headers: HeaderMap = {};
  if (retryAfterMs !== undefined)
    headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
  if (allow !== undefined) headers.allow = allow;
  if (status === 401) headers["www-authenticate"] = "Bearer";
  return { status, body: describe(status, fault.message, null), headers };
}

function describe(status: number, detail: string, scimType: string | null): JsonObject {
  return {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(scimType === null ? {} : { scimType }),
    detail,
  };
}
