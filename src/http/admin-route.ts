// The hooks and OpenAPI texts that all admin routes share.
import { JSON_HEADERS } from "./answers.ts";
import type { HeaderStore } from "./app.ts";
import { type BodyPorts, readJson } from "./body.ts";
import { checkOperator, type OperatorParts, type OperatorRequest } from "./operator.ts";
import { describeRoute } from "./route-schema.ts";

const BODY = { owner: "operator", bytesMax: 64 * 1024 } as const;

/** The parts that admin routes with a body need. */
export interface WritingParts extends OperatorParts, BodyPorts {}

/**
 * Checks the token before anything else is read or answered. Elysia parses, then transforms, then validates, so routes
 * with a body check it in the parser and all others in the transformation.
 */
export function createOperatorHooks(parts: WritingParts, tag: string) {
  const check = async (asked: OperatorRequest, set: HeaderStore): Promise<void> => {
    await checkOperator(parts, asked);
    Object.assign(set.headers, JSON_HEADERS);
  };
  const transform = async (at: OperatorRequest & Seen & { query: unknown }) => {
    const { request, server, set } = at;
    await check({ request, server }, set);
    // For a custom validator, Elysia parses commas as lists and brackets as JSON.
    at.query = readTexts(request.url);
  };
  const parse = async ({ request, server, set }: OperatorRequest & Seen) => {
    await check({ request, server }, set);
    return readJson(request, parts, BODY);
  };
  return {
    reads: (id: string, summary: string) => ({ transform, ...describeRoute(tag, id, summary) }),
    writes: (id: string, summary: string) => ({ parse, ...describeRoute(tag, id, summary) }),
  };
}

interface Seen {
  readonly set: HeaderStore;
}

/** Returns the query's fields. If a name is repeated, the last one wins. */
function readTexts(url: string): Readonly<Record<string, string>> {
  const start = url.indexOf("?");
  return start === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start)));
}
