// Opens a store, which migrates it, in a process that may be killed at any moment.
import { decide } from "../../../src/ledger/decide.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { decideByDemand } from "../../harness/samples.ts";

const [address = ""] = process.argv.slice(2);
process.stdout.write("begins\n");
const store = address.startsWith("postgres:")
  ? await openPostgresStore({ url: address, decide: decideByDemand })
  : await openSqliteStore({ path: address, decide });
process.stdout.write("migrated\n");
await store.close();
process.exit();
