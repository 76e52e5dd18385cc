// The places in which a recorded answer can grow: each list of objects in a body or an event.
import { isObject, parseJson } from "../../../src/core/json/json.ts";
import { splitEvents } from "../../recorded/events.ts";
import type { Recording } from "../../recorded/load.ts";

/** Returns the body with `count` of something. */
type GrowingBody = (count: number) => string;
type Path = readonly (string | number)[];

/** The fields that number a part of the answer: each repeated one has its own number. */
const NUMBERS = new Set(["index", "output_index", "content_index", "summary_index"]);
/** Beyond this, the answer itself would be what takes the time. */
const BODY_MAX = 20_000;

/** Returns the places of an answer by names that answers of one kind share. Empty if it has none, or is long. */
export function findPlaces({ streamed, body }: Recording): ReadonlyMap<string, GrowingBody> {
  if (body.length > BODY_MAX) return new Map();
  if (!streamed) return growLists("", parseJson(body), (text) => text);
  return new Map(
    splitEvents(body).flatMap(({ event, json, start, end }) => {
      const name = event || String(json?.type ?? json?.object ?? "");
      const line = event === "" ? "" : `event: ${event}\n`;
      const write = (text: string) => `${body.slice(0, start)}${line}data: ${text}\n\n${body.slice(end)}`;
      return [...growLists(name, json, write)];
    }),
  );
}

function growLists(
  name: string,
  value: unknown,
  write: (text: string) => string,
): ReadonlyMap<string, GrowingBody> {
  return new Map(
    findLists(value).map((path) => [
      `${name} ${path.map((step) => (typeof step === "number" ? "*" : step)).join(".")}`,
      (count) => write(JSON.stringify(growAt(value, path, count))),
    ]),
  );
}

/** The paths of all lists whose first element is an object. */
function findLists(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) {
    const own = isObject(value[0]) ? [path] : [];
    return [...own, ...findLists(value[0], [...path, 0])];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => findLists(inner, [...path, name]));
}

/** A copy in which the list at the path has `count` elements, each as the first but for its number. */
function growAt(value: unknown, [step, ...rest]: Path, count: number): unknown {
  if (step === undefined)
    return Array.isArray(value) ? Array.from({ length: count }, (_, at) => renumber(value[0], at)) : value;
  if (Array.isArray(value)) return value.with(Number(step), growAt(value[Number(step)], rest, count));
  return isObject(value) ? { ...value, [step]: growAt(value[step], rest, count) } : value;
}

function renumber(value: unknown, at: number): unknown {
  if (Array.isArray(value)) return value.map((one) => renumber(one, at));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      NUMBERS.has(name) && typeof inner === "number" ? inner + at : renumber(inner, at),
    ]),
  );
}
