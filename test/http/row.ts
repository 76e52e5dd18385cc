// One row of a table of scenarios: what is asked, and what must come back; and the way it is played.
import { expect } from "bun:test";
import { type Seen, seen } from "./observe.ts";
import type { HttpWorld } from "./world.ts";

/** The holder of the secret that a row sends. */
export type Who = "holder" | "limited" | "restricted" | "unlucky" | "spent" | "operator" | "nobody";

export interface Row {
  readonly name: string;
  /** Default: POST with a body, else GET. */
  readonly method?: string;
  /** Default: /v1/chat/completions. */
  readonly path?: string;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: `holder`. */
  readonly who?: Who;
  readonly status: number;
  /** Of the error object; `null` stands for null. */
  readonly code?: string | null;
  readonly param?: string | null;
  /** The whole text has them, or has them not. */
  readonly contains?: readonly (string | RegExp)[];
  readonly lacks?: readonly (string | RegExp)[];
  /** Part of the JSON answer. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** Of a streamed answer, or an error event. */
  readonly event?: Readonly<Record<string, unknown>>;
  /** null: must not be there. */
  readonly told?: Readonly<Record<string, string | RegExp | null>>;
  /** Upstream calls that it takes. */
  readonly calls?: number;
  /** Looks at what no other field says. */
  readonly check?: (answer: Seen) => void;
}

export type Secrets = Readonly<Partial<Record<Who, string | null>>>;

/** Sends what the row asks. */
export function send(world: HttpWorld, secrets: Secrets, row: Row): Promise<Response> {
  const { path = "/v1/chat/completions", body, headers = {}, who = "holder" } = row;
  const secret = secrets[who] ?? null;
  const method = row.method ?? (body === undefined ? "GET" : "POST");
  return fetch(world.url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    redirect: "manual",
  });
}

/** Plays a row and checks all that it says. */
export async function play(world: HttpWorld, secrets: Secrets, row: Row): Promise<Seen> {
  world.callsSince();
  const answer = await seen(await send(world, secrets, row));
  const { status, headers, text, body, error, stream } = answer;
  expect({ status, error }).toMatchObject({ status: row.status });
  if (row.code !== undefined) expect(error?.code ?? null).toBe(row.code);
  if (row.param !== undefined) expect(error?.param ?? null).toBe(row.param);
  for (const part of row.contains ?? []) expect(text).toMatch(part);
  for (const part of row.lacks ?? []) expect(text).not.toMatch(part);
  // On a copy: where a matcher like `expect.any` fits, it takes the place of what it was matched with.
  if (row.json) expect(structuredClone(body)).toMatchObject(row.json);
  if (row.event) expect(structuredClone(stream)).toMatchObject(row.event);
  for (const [name, value] of Object.entries(row.told ?? {})) {
    const line = `${name}: ${headers.get(name)}`;
    if (value instanceof RegExp) expect(line).toMatch(value);
    else expect(line).toBe(`${name}: ${value}`);
  }
  if (row.calls !== undefined) expect(world.callsSince()).toBe(row.calls);
  row.check?.(answer);
  return answer;
}
