// One row of a table of scenarios: the request, the expected answer, and the code that plays it.
import { expect } from "bun:test";
import { type Seen, seen } from "../../whole/world/observe.ts";
import type { HttpWorld } from "../../whole/world/world.ts";

/** The holder of the secret that the row sends. */
export type Who = "holder" | "limited" | "restricted" | "unlucky" | "spent" | "operator" | "nobody";

export interface Row {
  readonly name: string;
  /** POST if there is a body, else GET. */
  readonly method?: string;
  /** `/v1/chat/completions` if missing. */
  readonly path?: string;
  /** An object is sent as JSON, a string unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `holder` if missing. */
  readonly who?: Who;
  readonly status: number;
  /** The error object's code. */
  readonly code?: string | null;
  readonly param?: string | null;
  /** The whole text must (not) contain these. */
  readonly contains?: readonly (string | RegExp)[];
  readonly lacks?: readonly (string | RegExp)[];
  /** Part of the JSON answer. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** Part of an event of a streamed answer, or of its error event. */
  readonly event?: Readonly<Record<string, unknown>>;
  /** The answer's headers. Null if a header must be missing. */
  readonly told?: Readonly<Record<string, string | RegExp | null>>;
  /** The number of upstream calls. */
  readonly calls?: number;
  /** Checks what the other fields can't express. */
  readonly check?: (answer: Seen) => void;
}

export type Secrets = Readonly<Partial<Record<Who, string | null>>>;

/** Sends the row's request. */
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

/** Plays a row and checks all its expectations. */
export async function play(world: HttpWorld, secrets: Secrets, row: Row): Promise<Seen> {
  world.callsSince();
  const answer = await seen(await send(world, secrets, row));
  const { status, headers, text, body, error, stream } = answer;
  expect({ status, error }).toMatchObject({ status: row.status });
  if (row.code !== undefined) expect(error?.code ?? null).toBe(row.code);
  if (row.param !== undefined) expect(error?.param ?? null).toBe(row.param);
  for (const part of row.contains ?? []) expect(text).toMatch(part);
  for (const part of row.lacks ?? []) expect(text).not.toMatch(part);
  // Matched on a copy, because a matcher such as `expect.any` replaces the value that it matches.
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
