// The asks of commands: a route of the admin API at a gateway that was named, and the same work on a store.
import type { TSchema } from "@sinclair/typebox";
import type { ListPage } from "../../admin/list.ts";
import type { View } from "../../admin/schema.ts";
import type { ActingWorld } from "../../admin/world.ts";
import type { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString } from "../../core/json/json.ts";
import { findFirstFault } from "../../core/json/schema-fault.ts";

/** A route below `/admin/v1`. A part of the path that varies begins with a colon. */
interface AskedRoute {
  readonly method: string;
  readonly path: string;
}

export interface Ask<Answer> {
  readonly route: AskedRoute;
  /** The varying parts of the path, by their names. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string | null;
  /** Returns a gateway's answer with its type. Throws an Error for one that isn't understood. */
  readonly read: (answer: unknown) => Answer;
  /** Does the same on the store. */
  readonly here: (world: ActingWorld) => Promise<Answer>;
}

/** Returns a reader of answers that fit the schema. */
export function makeReader<Schema extends TSchema>(schema: Schema): (answer: unknown) => View<Schema> {
  return (answer) => {
    const fault = findFirstFault(schema, answer);
    if (isView(schema, answer, fault)) return answer;
    throw new Error(
      `The gateway's answer isn't understood (${fault?.message}). Use the command of the gateway's version.`,
    );
  };
}

function isView<Schema extends TSchema>(
  _schema: Schema,
  _answer: unknown,
  fault: Fault | null,
): _answer is View<Schema> {
  return fault === null;
}

/** Returns a reader of a list's pages. */
export function makePageReader<Row>(read: (row: unknown) => Row): (answer: unknown) => ListPage<Row> {
  return (answer) => {
    const { data, next } = asObject(answer);
    return { data: asArray(data).map(read), next: asString(next) ?? null };
  };
}

/** Returns the query of a change that may stop nodes of older programs. */
export function listStop(stopsOlder: boolean): { readonly stop_older?: string } {
  return stopsOlder ? { stop_older: "true" } : {};
}

/** Returns the address of the ask's route at a gateway. */
export function writeAddress(gateway: string, { route, parts = {}, query = {} }: Address): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parts[name] ?? ""));
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const search = new URLSearchParams(given).toString();
  return `${gateway}/admin/v1${path}${search === "" ? "" : `?${search}`}`;
}

export type Address = Pick<Ask<unknown>, "route" | "parts" | "query">;
