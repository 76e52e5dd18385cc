// The condition of a lesson on a refusal: what the requests that taught it had in common. Pure.
import { isObject, type JsonObject } from "../../json/json.ts";

/** The names of everything that a leaving request has: fields, their values where those are words, and the needs of a model. */
export type RequestShape = ReadonlySet<string>;

/** Met by a request that has all of `all`, and nothing but what is in `some`. */
export interface LessonCondition {
  /** Everything that all requests had that taught it. */
  readonly all: readonly string[];
  /** Everything that at least one of them had, if others were answered that had more. Null for anything. */
  readonly some: readonly string[] | null;
}

/** Beyond this number of conditions of a lesson, the one that was met first is forgotten. */
export const CONDITIONS_MAX = 4;
/** The most names of a shape. */
export const NAMES_MAX = 64;
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;
/** The keys of these are the client's own. */
const FREE: ReadonlySet<string> = new Set(["metadata", "labels", "logit_bias"]);
/** Values that a rule of a server may depend on. All others differ from request to request. */
const WORDS: ReadonlySet<string> = new Set(
  "true false null 0 1 none minimal low medium high xhigh max auto required any enabled disabled adaptive text json_object json_schema".split(
    " ",
  ),
);

/** Returns the shape of a request by its body, with the names of what it needs. Names that no API has aren't kept. */
export function readShape(body: JsonObject, needs: Iterable<string>): RequestShape {
  const shape = new Set<string>(needs);
  addFields(shape, "", body);
  return shape;
}

function addFields(shape: Set<string>, prefix: string, fields: JsonObject): void {
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined || shape.size >= NAMES_MAX) continue;
    const name = NAME.test(key) ? prefix + key : "other";
    shape.add(name);
    if (WORDS.has(String(value))) shape.add(`${name}=${value}`);
    if (prefix === "" && isObject(value) && !FREE.has(key)) addFields(shape, `${name}.`, value);
  }
}

export function isMetBy(shape: RequestShape, { all, some }: LessonCondition): boolean {
  return all.every((name) => shape.has(name)) && (some === null || shape.isSubsetOf(new Set(some)));
}

/**
 * Returns the conditions after a refusal of a request. One of them is widened by it, as far as it would not be met by a
 * request that was answered: to all that have what both had, or to those that have nothing else either. Else the request's
 * own is added.
 */
export function learnCondition(
  known: readonly LessonCondition[],
  shape: RequestShape,
  isAnswered: (condition: LessonCondition) => boolean,
): readonly LessonCondition[] {
  if (known.some((one) => isMetBy(shape, one))) return known;
  const own = [...shape].toSorted();
  for (const widened of known.flatMap((one) => listWider(one, own)))
    if (!isAnswered(widened)) return joinConditions(known, [widened]);
  return joinConditions(known, [{ all: own, some: own }]);
}

function listWider({ all, some }: LessonCondition, own: readonly string[]): readonly LessonCondition[] {
  const both = all.filter((name) => own.includes(name));
  const wide = { all: both, some: null };
  const seen = [...new Set([...(some ?? []), ...own])].toSorted();
  return some === null || seen.length > NAMES_MAX ? [wide] : [wide, { all: both, some: seen }];
}

/** Returns the conditions of two processes, each without those that another includes. */
export function joinConditions(
  known: readonly LessonCondition[],
  met: readonly LessonCondition[],
): readonly LessonCondition[] {
  const both = [...known, ...met];
  return both
    .filter(
      (one, at) =>
        !both.some(
          (wide, place) => place !== at && includes(wide, one) && (place > at || !includes(one, wide)),
        ),
    )
    .slice(-CONDITIONS_MAX);
}

function includes(wide: LessonCondition, one: LessonCondition): boolean {
  const takes = wide.some === null || (one.some?.every((name) => wide.some?.includes(name)) ?? false);
  return takes && wide.all.every((name) => one.all.includes(name));
}
