// Changes that programs from before wouldn't keep: each ends the support for them in its own transaction, which is refused
// while nodes of theirs run.
import type { Changes, RowChange } from "../../core/changes.ts";
import { filterOlder, type LiveNode, nameNode, refuseOlder } from "../../core/live-nodes.ts";
import { countStepsNeeded } from "../schema/newer-rules.ts";
import type { Change, Engine, NodePrograms, Programs, Result, Statement } from "./engine.ts";
import { CommitError, unavailable } from "./unavailable.ts";

/** The statement that ends the support for programs that know less than this version of the schema. */
interface SupportEnding extends Statement {
  readonly endsBelow: number;
}

const isEnding = (statement: Statement): statement is SupportEnding => "endsBelow" in statement;

/** Returns the statement that ends the support for the programs that wouldn't keep the row, or none. */
export function endOlder(programs: Programs, change: RowChange): readonly SupportEnding[] {
  const stepsKnown = countStepsNeeded(change);
  if (stepsKnown === 0) return [];
  const version = programs.versionOf(stepsKnown);
  return [{ ...programs.endSupport(version), endsBelow: version }];
}

/** Returns the version that the writes end the support below. 0 if they end none. */
function findEnd(writes: readonly Statement[]): number {
  return Math.max(0, ...writes.filter(isEnding).map(({ endsBelow }) => endsBelow));
}

/** A transaction ends support, and hasn't looked who runs: it is undone, and begins again with a look. */
class UnlookedError extends Error {}

/** Returns an engine whose transactions end the support for older programs only while none of their nodes runs. */
export function guardOlder(engine: Engine): Engine {
  const { look, parse } = engine.programs;
  /** Looks first, as the transactions that end support do. */
  const changeLooking = <T>(
    firsts: readonly Statement[],
    then: (results: readonly Result[]) => Change<T>,
  ): Promise<T> =>
    engine.change([...look, ...firsts], (results) => {
      const change = then(results.slice(look.length));
      const version = findEnd(change.writes);
      const stopped = version === 0 ? [] : findStopped(parse(results), version);
      if (stopped.length > 0) throw refuseOlder(stopped.map(nameNode));
      return change;
    });
  return {
    ...engine,
    change: async (firsts, then) => {
      try {
        return await engine.change(firsts, (results) => {
          const change = then(results);
          if (findEnd(change.writes) > 0) throw new UnlookedError();
          return change;
        });
      } catch (error) {
        if (error instanceof UnlookedError) return changeLooking(firsts, then);
        throw error;
      }
    },
    runOnce: (statement, ...others) => {
      if (findEnd(others) === 0) return engine.runOnce(statement, ...others);
      let isSent = false;
      return changeLooking([], () => {
        // It may have been written, and must not be written twice.
        if (isSent) throw unavailable(new CommitError("The commit got no answer."));
        isSent = true;
        return { writes: [statement, ...others], toResult: ([written]) => written ?? NOTHING };
      });
    },
  };
}

const NOTHING: Result = Object.assign([], { count: 0 });

/** Returns the live nodes that the end of the support below this version would stop. */
function findStopped({ oldestSupported, live }: NodePrograms, version: number): readonly LiveNode[] {
  return oldestSupported < version ? filterOlder(live(), version) : [];
}

export function olderMethods({ programs, change }: Engine) {
  return {
    listStopped: async (changes) => {
      const stepsKnown = Math.max(0, ...changes.map(countStepsNeeded));
      if (stepsKnown === 0) return [];
      return change(programs.look, (results) => ({
        writes: [],
        toResult: () => findStopped(programs.parse(results), programs.versionOf(stepsKnown)),
      }));
    },
  } satisfies Partial<Changes>;
}
