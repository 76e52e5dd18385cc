// The hooks and words of the routes that are for the operator alone.
import { JSON_HEADERS } from "./answers.ts";
import type { Signing } from "./app.ts";
import { type BodyPorts, readJson } from "./body.ts";
import { type Asked, checkOperator, type OperatorParts } from "./operator.ts";
import { tell } from "./route-schema.ts";

const BODY = { owner: "operator", bytesMax: 64 * 1024 } as const;

/** The parts that routes need which read a body for the operator. */
export interface WritingParts extends OperatorParts, BodyPorts {}

/**
 * The token is checked before anything else is read or said. Elysia parses, then transforms, then validates: the check
 * stands in the parser where there is a body, and in the transformation where there is none.
 */
export function forOperator(parts: WritingParts, tag: string) {
  const check = async (asked: Asked, set: Signing): Promise<void> => {
    await checkOperator(parts, asked);
    Object.assign(set.headers, JSON_HEADERS);
  };
  const transform = async (at: Asked & Seen & { query: unknown }) => {
    const { request, server, set } = at;
    await check({ request, server }, set);
    // For a foreign validator Elysia takes a comma for a list, and brackets for JSON.
    at.query = readTexts(request.url);
  };
  const parse = async ({ request, server, set }: Asked & Seen) => {
    await check({ request, server }, set);
    return readJson(request, parts, BODY);
  };
  return {
    looks: (id: string, summary: string) => ({ transform, ...tell(tag, id, summary) }),
    sends: (id: string, summary: string) => ({ parse, ...tell(tag, id, summary) }),
  };
}

interface Seen {
  readonly set: Signing;
}

/** The fields of a URL's query; of those of the same name the last. */
function readTexts(url: string): Readonly<Record<string, string>> {
  const start = url.indexOf("?");
  return start === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start)));
}
