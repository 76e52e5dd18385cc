// Preloaded by a gateway that is measured: says how many objects are in its heap, how many statements it has run with how
// many values, holds its regular tasks, and makes a system call that a trace shows.

import { heapStats } from "bun:jsc";
import { Database, type Statement } from "bun:sqlite";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { isObject } from "../../src/core/json/json.ts";
import { HeldTime } from "./held-time.ts";

const time = new HeldTime();
const METHODS = ["get", "all", "run", "values", "iterate"];

/** The statements by their texts, whose values may differ. */
const statements = new Map<object, string>();
/** Of each text, the runs and the values that were bound in all of them. */
const ran = new Map<string, { runs: number; values: number }>();
let isCounting = false;
let begun = 0;
let synced = 0;

/** Counts the calls of a method of an object. */
function countCalls(of: object, method: string, count: () => void): void {
  const run: unknown = Reflect.get(of, method);
  if (typeof run !== "function") return;
  Reflect.set(of, method, function (this: unknown, ...values: unknown[]): unknown {
    count();
    return Reflect.apply(run, this, values);
  });
}

function countRuns(runner: object, methods: readonly string[], text: string): void {
  const counts = ran.getOrInsertComputed(text, () => ({ runs: 0, values: 0 }));
  for (const method of methods) {
    const run: unknown = Reflect.get(runner, method);
    if (typeof run !== "function") continue;
    Reflect.set(runner, method, function (this: unknown, ...values: unknown[]): unknown {
      counts.runs++;
      // The values come as arguments, or as one list of them.
      for (const value of values) counts.values += Array.isArray(value) ? value.length : 1;
      return Reflect.apply(run, this, values);
    });
  }
}

function take(statement: object, text: string): void {
  if (statements.has(statement)) return;
  statements.set(statement, text);
  if (isCounting) countRuns(statement, METHODS, text);
}

// The methods of a statement are its own, and a wrapper makes objects, so they are wrapped after those were counted.
const { prepare } = Database.prototype;
Reflect.set(Database.prototype, "prepare", function (this: Database, ...how: [string]): Statement {
  const statement = prepare.apply(this, how);
  take(statement, how[0]);
  if (how[0].startsWith("BEGIN IMMEDIATE")) countCalls(statement, "run", () => begun++);
  return statement;
});

const { query } = Database.prototype;
Reflect.set(Database.prototype, "query", function (this: Database, text: string): Statement {
  const statement: Statement = query.call(this, text);
  take(statement, text);
  return statement;
});

const handle = await open(import.meta.path, "r");
countCalls(Object.getPrototypeOf(handle), "sync", () => synced++);
await handle.close();

const answers: Readonly<Record<string, (name: string) => unknown>> = {
  heap: () => heapStats().objectTypeCounts,
  count() {
    isCounting = true;
    for (const [statement, text] of statements) countRuns(statement, METHODS, text);
    countRuns(Database.prototype, ["run"], "");
    return null;
  },
  ran: () => ({ statements: Object.fromEntries(ran), transactions: begun, syncs: synced }),
  hold() {
    time.hold();
    time.stop();
    return null;
  },
  holdIntervals() {
    time.hold(true);
    return null;
  },
  release() {
    time.release();
    return null;
  },
  mark: (name) => existsSync(`/ruler/${name}`),
};

process.on("message", (message: unknown) => {
  if (!isObject(message)) return;
  process.send?.({ answer: answers[String(message.ask)]?.(String(message.name)) ?? null });
});
