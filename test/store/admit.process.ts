// A separate process for tests: admits and settles requests of `key_a` on a store, and prints how many passed.
import { Fault } from "../../src/core/faults/fault.ts";
import { decide } from "../../src/ledger/decide.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { ledgerOn, makeAsk, makeKey, makeOutcome } from "../harness/samples.ts";

const [path = "", node = "", times = "0"] = process.argv.slice(2);
const key = makeKey("key_a");
const store = await openSqliteStore({ path, decide, lockWaitMs: 20_000 });
const ledger = ledgerOn(store);
await store.beat();

async function serve(id: string): Promise<"granted" | "refused" | "failed"> {
  try {
    const ticket = ledger.ticket(makeAsk(id, key));
    await ledger.admit(ticket);
    await ledger.settle(ticket, makeOutcome(ticket));
    return "granted";
  } catch (error) {
    return error instanceof Fault && error.code === "rate_limit_exceeded" ? "refused" : "failed";
  }
}

const counts = { granted: 0, refused: 0, failed: 0 };
for (let done = 0; done < Number(times); done += 20) {
  const ends = await Promise.all(Array.from({ length: 20 }, (_, index) => serve(`${node} ${done + index}`)));
  for (const end of ends) counts[end]++;
}
await store.close();
process.stdout.write(JSON.stringify(counts));
