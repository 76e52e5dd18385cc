// A separate process for tests: takes a database's write lock, reports it, and keeps it until its input ends.
import { Database } from "bun:sqlite";

const database = new Database(process.argv[2] ?? "");
database.run("PRAGMA busy_timeout = 10000");
database.run("BEGIN IMMEDIATE");
process.stdout.write("locked\n");
await Bun.stdin.text();
database.run("ROLLBACK");
database.close();
