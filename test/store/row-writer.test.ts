// Rows that are written many by one statement are all written, once each and in their order.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { INTEGER, TEXT } from "../../src/store/engine/columns.ts";
import { table } from "../../src/store/schema/tables.ts";
import { makeRowWriter } from "../../src/store/sqlite/row-writer.ts";

const COUNTS = Array.from({ length: 40 }, (_, count) => count);
const NOTE = table<{ id: number; note: string }>("note", ["id"], { id: INTEGER, note: TEXT });

function makeNotes(count: number, note: string) {
  return Array.from({ length: count }, (_, id) => ({ id, note: `${note} ${id}` }));
}

test("any number of rows is written", () => {
  using database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE note (id INTEGER PRIMARY KEY, note TEXT)");
  const add = makeRowWriter(database, NOTE);
  for (const count of COUNTS) {
    database.run("DELETE FROM note");
    const notes = makeNotes(count, "new");
    add(notes);
    expect(database.query("SELECT * FROM note ORDER BY id").all()).toEqual(notes);
  }
});

test("of rows with the same key in one statement, each adds to what is there", () => {
  using database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE note (id INTEGER PRIMARY KEY, note TEXT)");
  const add = makeRowWriter(
    database,
    NOTE,
    "ON CONFLICT (id) DO UPDATE SET note = note.note || excluded.note",
  );
  add(["a", "b", "c", "d", "e"].map((note) => ({ id: 1, note })));
  expect(database.query("SELECT note FROM note").all()).toEqual([{ note: "abcde" }]);
});

test("a row that is refused takes back the others of its statement", () => {
  using database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE note (id INTEGER PRIMARY KEY, note TEXT)");
  const add = makeRowWriter(database, NOTE);
  expect(() => add([...makeNotes(15, "new"), { id: 3, note: "again" }])).toThrow("UNIQUE");
  expect(database.query("SELECT * FROM note").all()).toEqual([]);
});
