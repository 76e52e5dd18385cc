// Preloaded by a gateway that is measured: says how many objects are in its heap, how many statements it has run with how
// many values, and makes a system call that a trace shows.

import { heapStats } from "bun:jsc";
import { Database, type Statement } from "bun:sqlite";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { isObject } from "../../src/core/json/json.ts";

const METHODS = ["get", "all", "run", "values", "iterate"];

const statements = new Set<object>();
let isCounting = false;
let ran = 0;
let bound = 0;
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

function countRuns(runner: object, methods: readonly string[]): void {
  for (const method of methods) {
    const run: unknown = Reflect.get(runner, method);
    if (typeof run !== "function") continue;
    Reflect.set(runner, method, function (this: unknown, ...values: unknown[]): unknown {
      ran++;
      // The values come as arguments, or as one list of them.
      for (const value of values) bound += Array.isArray(value) ? value.length : 1;
      return Reflect.apply(run, this, values);
    });
  }
}

function take(statement: object): void {
  if (statements.has(statement)) return;
  statements.add(statement);
  if (isCounting) countRuns(statement, METHODS);
}

// The methods of a statement are its own, and a wrapper makes objects, so they are wrapped after those were counted.
const { prepare } = Database.prototype;
Reflect.set(Database.prototype, "prepare", function (this: Database, ...how: [string]): Statement {
  const statement = prepare.apply(this, how);
  take(statement);
  if (how[0].startsWith("BEGIN IMMEDIATE")) countCalls(statement, "run", () => begun++);
  return statement;
});

const { query } = Database.prototype;
Reflect.set(Database.prototype, "query", function (this: Database, text: string): Statement {
  const statement: Statement = query.call(this, text);
  take(statement);
  return statement;
});

const handle = await open(import.meta.path, "r");
countCalls(Object.getPrototypeOf(handle), "sync", () => synced++);
await handle.close();

const answers: Readonly<Record<string, (name: string) => unknown>> = {
  heap: () => heapStats().objectTypeCounts,
  count() {
    isCounting = true;
    for (const statement of statements) countRuns(statement, METHODS);
    countRuns(Database.prototype, ["run"]);
    return null;
  },
  ran: () => ({ statements: ran, values: bound, transactions: begun, syncs: synced }),
  mark: (name) => existsSync(`/ruler/${name}`),
};

process.on("message", (message: unknown) => {
  if (!isObject(message)) return;
  process.send?.({ answer: answers[String(message.ask)]?.(String(message.name)) ?? null });
});
