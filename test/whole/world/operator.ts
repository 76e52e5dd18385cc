// The operator's side of a running gateway: the admin routes, called with the admin token.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { UnderTest } from "../../harness/harness.ts";
import { type Seen, seen } from "./observe.ts";

export interface Operator {
  get(path: string): Promise<Seen>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Seen>;
  patch(path: string, body: unknown): Promise<Seen>;
  delete(path: string): Promise<Seen>;
  /** All rows of a list, read in pages of `limit`. */
  all(path: string, limit: number): Promise<readonly JsonObject[]>;
}

/** `path` is the part after `/admin/v1`. Every answer is checked as in `seen`. */
export function createOperator(world: Pick<UnderTest, "url" | "adminToken">): Operator {
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Seen> => {
    const headers: Record<string, string> = { authorization: `Bearer ${world.adminToken}`, ...more };
    if (body !== undefined) headers["content-type"] ??= "application/json";
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const init = { method, headers, ...(body === undefined ? {} : { body: text }) };
    return seen(await fetch(`${world.url}/admin/v1${path}`, init));
  };
  return {
    get: (path) => ask("GET", path),
    post: (path, body, headers) => ask("POST", path, body, headers),
    patch: (path, body) => ask("PATCH", path, body),
    delete: (path) => ask("DELETE", path),
    async all(path, limit) {
      const rows: JsonObject[] = [];
      let after: string | null = "";
      while (after !== null) {
        const from: string = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
        const { body } = await ask("GET", `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${from}`);
        const page = body.data as readonly JsonObject[];
        if (page.length > limit || (page.length === 0 && rows.length > 0))
          throw new Error("a page of a wrong size");
        rows.push(...page);
        after = body.next as string | null;
      }
      return rows;
    },
  };
}
