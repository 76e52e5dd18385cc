// `bun end.process.ts ADDRESS END STEP`: makes an end on a store, and kills itself with SIGKILL at a step of it: before a
// statement on SQLite, before something is sent to PostgreSQL or something comes back. Prints the number of steps if it
// survives.
import { Database } from "bun:sqlite";
import { connect, createServer, type Socket } from "node:net";
import { openStore } from "../../../src/app/start/open-store.ts";
import { ENDS, MASTER_KEY } from "./ends.ts";

const [, , address = "", name = "", at = ""] = process.argv;
const killedAt = Number(at);
let steps = 0;
let isCounting = false;

function step(): void {
  if (isCounting && ++steps === killedAt) process.kill(process.pid, "SIGKILL");
}

/** Replaces methods by ones that call `around` with the plain method and its result. */
function replace(target: object, methods: readonly string[], around: (call: () => unknown) => unknown): void {
  for (const method of methods) {
    const plain: unknown = Reflect.get(target, method);
    if (typeof plain !== "function") continue;
    Reflect.set(target, method, function replaced(this: unknown, ...given: readonly unknown[]): unknown {
      return around(() => Reflect.apply(plain, this, given));
    });
  }
}

const counted = new WeakSet<object>();

/** Makes each run of a statement a step, before it. */
function countRuns(statement: unknown): unknown {
  if (typeof statement !== "object" || statement === null || counted.has(statement)) return statement;
  counted.add(statement);
  replace(statement, ["all", "get", "run", "values"], (call) => {
    step();
    return call();
  });
  return statement;
}

/** A way to the server on which each piece, there and back, is a step before it passes. */
async function openWay(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const pass = (from: Socket, to: Socket) => {
    from.on("data", (bytes) => {
      step();
      to.write(bytes);
    });
    from.on("close", () => to.destroy());
    from.on("error", () => to.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    pass(client, upstream);
    pass(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const place = server.address();
  if (place === null || typeof place === "string") throw new Error("the way has no port");
  const way = new URL(url);
  way.port = String(place.port);
  return way.href;
}

const isSqlite = address.startsWith("sqlite:");
if (isSqlite) {
  replace(Database.prototype, ["query", "prepare"], (call) => countRuns(call()));
  replace(Database.prototype, ["run", "exec"], (call) => {
    step();
    return call();
  });
}
const opened = await openStore(isSqlite ? address : await openWay(address), MASTER_KEY);
await opened.store.beat();
isCounting = true;
await ENDS[name]?.(opened);
isCounting = false;
console.log(steps);
process.exit(0);
