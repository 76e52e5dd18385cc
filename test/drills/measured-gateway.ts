// The gateway as a process of its own whose heap, statements and system calls are counted, before a provider whose
// answers always arrive in one piece.
import { join } from "node:path";
import { asObject, isObject } from "../../src/core/json/json.ts";
import { MASTER_KEY, providersYaml } from "../harness/harness.ts";
import { newPlace, type Place } from "../harness/serve-process.ts";
import { writeEmptyStore } from "../suites/empty-store.ts";
import { until } from "../whole/world/until.ts";
import { startFixedUpstream } from "./fixed-upstream.ts";

const ADMIN_TOKEN = "admin-token-of-the-ruler";
/**
 * The counts mustn't depend on how warm the code is: the optimising compiler removes objects that don't leave a
 * function. No garbage is collected: a collection within a batch would hide what the batch has made.
 */
const RUNTIME = { BUN_JSC_useDFGJIT: "0", BUN_JSC_useGC: "0" };

export interface MeasuredGateway {
  readonly pid: number;
  readonly url: string;
  /** Asks the process for something that `ruler.process.ts` knows. */
  ask(what: string, name?: string): Promise<unknown>;
  /** Returns the parsed answer of an admin route. */
  admin(path: string, body: object): Promise<Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
}

/** Its store is an empty file, unless a server has it. */
function makePlace(upstreamUrl: string, storeUrl: string | null, more: readonly string[]): Place {
  const place = newPlace("");
  const database = join(place.directory, "poundkey.db");
  if (storeUrl === null) writeEmptyStore(database);
  const server = `server: { port: 0, admin_token: "${ADMIN_TOKEN}" }`;
  const store = `store: "${storeUrl ?? `sqlite:${database}`}"`;
  place.configure([server, store, providersYaml(upstreamUrl), ...more].join("\n"));
  return place;
}

/** Starts the program in a folder. `hear` gets its answers. */
function startChild({ directory }: Place, storeUrl: string | null, hear: (answer: unknown) => void) {
  const ruler = join(import.meta.dir, "ruler.process.ts");
  const main = join(import.meta.dir, "..", "..", "src", "main.ts");
  return Bun.spawn([process.execPath, "--preload", ruler, main, "serve"], {
    cwd: directory,
    // The variable keeps the program from restarting itself to set it.
    env: {
      PATH: process.env.PATH ?? "",
      BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
      ...(storeUrl !== null && { POUNDKEY_MASTER_KEY: MASTER_KEY }),
      ...RUNTIME,
    },
    stdout: "ignore",
    stderr: "pipe",
    serialization: "json",
    ipc: (message: unknown) => hear(isObject(message) ? message.answer : null),
  });
}

/** `more` is added to the configuration. */
export function startMeasured(...more: readonly string[]): Promise<MeasuredGateway> {
  return start(null, more);
}

/** The same on a store that a server has. */
export function startMeasuredOn(storeUrl: string): Promise<MeasuredGateway> {
  return start(storeUrl, []);
}

async function start(storeUrl: string | null, more: readonly string[]): Promise<MeasuredGateway> {
  const upstream = startFixedUpstream();
  const place = makePlace(upstream.url.origin, storeUrl, more);
  let heard: (answer: unknown) => void = () => {};
  const child = startChild(place, storeUrl, (answer) => heard(answer));
  let said = "";
  void child.stderr.pipeTo(
    new WritableStream({
      write(bytes) {
        said += Buffer.from(bytes).toString();
      },
    }),
  );
  const url = await until("the gateway listens", () => /listens on (http:\S+)/.exec(said)?.[1] ?? null);
  return {
    pid: child.pid,
    url,
    ask(what, name = "") {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      heard = resolve;
      child.send({ ask: what, name });
      return promise;
    },
    async admin(path, body) {
      const response = await fetch(`${url}/admin/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return asObject(await response.json());
    },
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
      await upstream.stop(true);
      place.remove();
    },
  };
}
