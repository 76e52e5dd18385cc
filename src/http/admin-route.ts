// What every admin route is made with: it runs a use-case for the operator alone.
import { json } from "./answers.ts";
import { readJson } from "./body.ts";
import { type Asked, checkOperator, type OperatorParts } from "./operator.ts";

const BODY_BYTES_MAX = 64 * 1024;

/** A request of a route, with what Elysia read off its URL. */
export interface At extends Asked {
  readonly params?: { readonly id?: string };
  readonly query: unknown;
}

/** `Parts` is what the use-cases are handed. */
export type Use<Parts> = (parts: Parts, id: string, at: At) => Promise<unknown>;

/** Makes a route of a use-case; who asks is checked before anything is read. */
export type By<Parts> = (use: Use<Parts>, status?: number) => (at: At) => Promise<Response>;

export function routesBy<Parts>(operator: OperatorParts, parts: Parts): By<Parts> {
  return (use, status = 200) =>
    // Elysia reads off the parameter's text what a route needs of its request.
    async ({ bearer, request, server, params, query }) => {
      const at = { bearer, request, server, query };
      await checkOperator(operator, at);
      return json(status, await use(parts, params?.id ?? "", at));
    };
}

export const options = { parse: "none" } as const;

export function bodyOf({ request }: At): Promise<unknown> {
  return readJson(request, BODY_BYTES_MAX);
}
