// The hooks and OpenAPI texts that all admin routes share.

import { actAs } from "../admin/audit/audit-trail.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { Permission } from "../core/people/permissions.ts";
import type { Action } from "../core/things/thing.ts";
import { createSuccessHook, expectChange, noteUse } from "./audit/audited.ts";
import { type ChangingRoute, findRouteAction } from "./audit/route-actions.ts";
import { type BodyPorts, readJson } from "./body/body.ts";
import { describeRoute } from "./openapi/route-schema.ts";
import { type CountingParts, countChange } from "./people/counted-changes.ts";
import {
  checkOperator,
  nameRequest,
  type OperatorParts,
  type OperatorRequest,
  readOperator,
} from "./people/operator.ts";
import { JSON_HEADERS } from "./serve/answers.ts";
import type { HeaderStore } from "./serve/app.ts";
import { compressAnswer } from "./serve/compressed.ts";

const OWNER = "operator";
const BYTES_MAX = 64 * 1024;

/** The parts that admin routes with a body need. */
export interface WritingParts extends OperatorParts, BodyPorts, CountingParts {}

/**
 * Checks the token before anything else is read or answered. Elysia parses, then transforms, then validates, so routes
 * with a body check it in the parser and all others in the transformation.
 */
export function createOperatorHooks(parts: WritingParts, tag: string) {
  const check = async (
    { set, params, ...asked }: OperatorRequest & HookContext,
    rule: Rule,
  ): Promise<void> => {
    expectChange(parts.world, asked.request, rule.id, params ?? {});
    nameRequest({ request: asked.request, set });
    const { access } = await checkOperator(parts, asked, rule.permission);
    if (findRouteAction(rule.id) !== null) countChange(parts, asked.request, access);
    if (asked.request.method === "GET") await noteUse(parts.world, asked.request);
    Object.assign(set.headers, JSON_HEADERS);
  };
  // Elysia reads in a hook's source which parts of a request it needs: passed on as a whole, that would be the body too.
  const makeTransform = (rule: Rule) => async (at: OperatorRequest & HookContext & { query: unknown }) => {
    const { request, server, route, set, params } = at;
    await check({ request, server, route, set, params }, rule);
    // For a custom validator, Elysia parses commas as lists and brackets as JSON.
    at.query = readTexts(request.url);
  };
  const makeParse =
    (rule: Rule, { bytesMax = BYTES_MAX }: BodyBound = {}) =>
    async ({ request, server, route, set, params }: OperatorRequest & HookContext) => {
      await check({ request, server, route, set, params }, rule);
      return hasNoBody(request) ? {} : readJson(request, parts, { owner: OWNER, bytesMax });
    };
  const read = (rule: Rule, summary: string) => ({
    transform: makeTransform(rule),
    mapResponse: compressAnswer,
    ...createSuccessHook(rule.id),
    ...describeRoute(tag, rule.id, summary),
  });
  const write = (rule: Rule, summary: string, bound?: BodyBound) => ({
    parse: makeParse(rule, bound),
    ...createSuccessHook(rule.id),
    ...describeRoute(tag, rule.id, summary),
  });
  return {
    /** A route without a body. */
    reads: (permission: Permission, id: string, summary: string) => read({ permission, id }, summary),
    /** A route with a body. */
    writes: (permission: Permission, id: ChangingRoute, summary: string) =>
      write({ permission, id }, summary),
    /** A route that changes nothing that isn't put on record by itself, with a body for what no address may have. */
    readsBody: (permission: Permission, id: string, summary: string, bound?: BodyBound) =>
      write({ permission, id }, summary, bound),
    /** The same of an action. */
    readsAction: (action: Action) => read(action, action.summary),
    writesAction: (action: Action) => write(action, action.summary),
  };
}

/** Returns the world of the request's sender, whose changes are put on record. */
export function actAsSender<World extends AdminWorld>(world: World, request: Request) {
  return actAs(world, readOperator(request).act);
}

interface HookContext {
  readonly set: HeaderStore;
  /** Missing for a route without any. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Other than that of most bodies. */
interface BodyBound {
  readonly bytesMax?: number;
}

/** The permission that a route needs, and the route's id. */
interface Rule {
  readonly permission: Permission;
  readonly id: string;
}

/** True if nothing was sent, as where no field is required: such a request needs no type either. */
function hasNoBody({ headers }: Request): boolean {
  if (headers.has("content-type") || headers.has("transfer-encoding")) return false;
  const length = headers.get("content-length");
  return length === null || length === "0";
}

/** Returns the query's fields. If a name is repeated, the last one wins. */
function readTexts(url: string): Readonly<Record<string, string>> {
  const start = url.indexOf("?");
  return start === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start)));
}
