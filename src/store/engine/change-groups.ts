// Groups of changes that are joined to one object, each made when one of its methods is first used: a change runs nothing of
// what makes the others.
import type { Engine } from "./engine.ts";
import type { Recorder } from "./recording.ts";

/** The engine that makes changes, and the recorder that puts them on record. `ofRows` is for changes to rows that decisions depend on. */
interface ChangeParts {
  readonly engine: Engine;
  readonly ofRows: Engine;
  readonly record: Recorder;
}

type MakeChanges<Made> = (engine: Engine, record: Recorder) => Made;

export const byEngine =
  <Made>(make: MakeChanges<Made>) =>
  ({ engine, record }: ChangeParts) =>
    make(engine, record);
export const byRows =
  <Made>(make: MakeChanges<Made>) =>
  ({ ofRows, record }: ChangeParts) =>
    make(ofRows, record);

type JoinedChanges<Groups extends readonly unknown[]> = Groups extends readonly [
  (parts: ChangeParts) => infer Made,
  ...infer Others,
]
  ? Made & JoinedChanges<Others>
  : unknown;

/** Returns what joins the groups, of which no two have a method of the same name. */
export function joinGroups<const Groups extends readonly ((parts: ChangeParts) => object)[]>(
  groups: Groups,
): (parts: ChangeParts) => JoinedChanges<Groups> {
  /** The place of each method's group, once it was looked for. -1 if no group has the method. */
  const places = new Map<PropertyKey, number>();
  return (parts) => {
    const made: object[] = [];
    const makeGroup = (at: number): object => (made[at] ??= groups[at]?.(parts) ?? {});
    const findPlace = (name: PropertyKey) => groups.findIndex((_, at) => name in makeGroup(at));
    return new Proxy(Object.create(null), {
      get(_, name) {
        const at = places.getOrInsertComputed(name, findPlace);
        return at === -1 ? undefined : Reflect.get(makeGroup(at), name);
      },
    });
  };
}
