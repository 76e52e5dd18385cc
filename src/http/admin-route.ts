// The parts of every admin route: it runs a use-case for the operator alone.
import { json } from "./answers.ts";
import { type BodyPorts, readJson } from "./body.ts";
import { type Asked, checkOperator, type OperatorParts } from "./operator.ts";

const BODY = { owner: "operator", bytesMax: 64 * 1024 } as const;

/** A request of a route, with what Elysia read off its URL. */
export interface At extends Asked {
  /** The request's JSON, read when it is asked for. */
  readonly body: () => Promise<unknown>;
  readonly params?: { readonly id?: string };
  readonly query: unknown;
}

/** `Parts` is what the use-cases are handed. */
export type Use<Parts> = (parts: Parts, id: string, at: At) => Promise<unknown>;

/** Makes a route of a use-case; who asks is checked before anything is read. */
export type By<Parts> = (use: Use<Parts>, status?: number) => (at: Omit<At, "body">) => Promise<Response>;

/** The parts that routes need which read a body for the operator. */
export interface WritingParts extends OperatorParts, BodyPorts {}

export function groupRoutes<Parts>(operator: WritingParts, parts: Parts): By<Parts> {
  return (use, status = 200) =>
    // Elysia reads off the parameter's text what a route needs of its request.
    async ({ bearer, request, server, params, query }) => {
      const asked = { bearer, request, server, query };
      await checkOperator(operator, asked);
      const at = { ...asked, body: () => readJson(request, operator, BODY) };
      return json(status, await use(parts, params?.id ?? "", at));
    };
}

export const options = { parse: "none" } as const;
