// /admin/v1: the routes of a thing, made from its row and the use-cases of its actions.
import { type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { ServedThing } from "../admin/things/things.ts";
import type { Call, Use } from "../admin/things/use.ts";
import type { Action } from "../core/things/thing.ts";
import { createOperatorHooks, type WritingParts } from "./admin-route.ts";
import { showsSchema } from "./openapi/route-schema.ts";
import { readOperator, stopQuery } from "./people/operator.ts";
import type { HeaderStore } from "./serve/app.ts";

/** Returns the routes of a thing's actions, in their order. */
export function thingRoutes(operator: WritingParts, { thing, uses }: ServedThing) {
  const { readsAction, writesAction } = createOperatorHooks(operator, thing.tag);
  const routes = new Elysia({ prefix: "/admin/v1" });
  for (const [name, action] of Object.entries(thing.actions)) {
    const use = uses[name];
    if (use === undefined) throw new Error(`Nothing does '${name}' with a ${thing.name}.`);
    const { method, path } = action;
    const schemas = describeSchemas(use, action);
    // Elysia reads in a handler's source which parts of a request it needs.
    if (use.body === undefined)
      routes.route(
        method,
        path,
        ({ query, params, request, set }) => run(use, { query, params, request, set }),
        {
          ...readsAction(action),
          ...schemas,
        },
      );
    else
      routes.route(
        method,
        path,
        ({ body, query, params, request, set }) => run(use, { body, query, params, request, set }),
        { ...writesAction(action), ...schemas },
      );
  }
  return routes;
}

function describeSchemas({ body, query: own, answers }: Use, action: Action) {
  const query = "mayStopOlder" in action ? addStop(own) : own;
  const response = Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [status, showsSchema(schema)]),
  );
  return {
    ...(body ? { body: showsSchema(body) } : {}),
    ...(query ? { query: showsSchema(query) } : {}),
    response,
  };
}

function addStop(query: Use["query"]): TSchema {
  return query === undefined ? stopQuery : Type.Composite([query, stopQuery]);
}

interface RouteContext {
  readonly body?: unknown;
  readonly query: unknown;
  /** Missing for a path without any. */
  readonly params?: Readonly<Record<string, string>>;
  readonly request: Request;
  readonly set: HeaderStore & { status?: number | string };
}

async function run(use: Use, { body, query, params = {}, request, set }: RouteContext): Promise<object> {
  const readPart = (name: string) => params[name] ?? "";
  const call: Call = {
    ...readOperator(request),
    id: params.id ?? params.name ?? "",
    readPart,
    idempotencyKey: request.headers.get("idempotency-key"),
    body,
    query,
  };
  const { status, view } = await use.run(call);
  set.status = status;
  return view;
}
