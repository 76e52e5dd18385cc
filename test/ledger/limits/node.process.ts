// One node of the load, in a process of its own: prints what it let in as JSON.
import { decide } from "../../../src/ledger/decide.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { LIMITS } from "./judge.ts";
import { runLoad } from "./load.ts";

const [address = "", clients = "0", requestsEach = "0"] = process.argv.slice(2);
const isPostgres = address.startsWith("postgres");
const store = isPostgres
  ? await openPostgresStore({ url: address, decide, patienceMs: 30_000 })
  : await openSqliteStore({ path: address, decide, lockWaitMs: 20_000 });
await store.beat();
const beating = setInterval(() => void store.beat(), 3000);
const found = await Promise.all(Object.keys(LIMITS).map((id) => store.key(id)));
const keys = found.filter((key) => key !== null);
const job = { clients: Number(clients), requestsEach: Number(requestsEach), answerMs: 30 };
const result = await runLoad(store, keys, job);
clearInterval(beating);
await store.close();
await Bun.write(Bun.stdout, JSON.stringify(result));
process.exit();
