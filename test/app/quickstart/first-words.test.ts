// The quick start's first words: a port that is free, and a greeting with all that one needs.
import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { chooseFreePort } from "../../../src/app/quickstart/free-port.ts";
import { writeGreeting } from "../../../src/app/quickstart/greeting.ts";
import { LONG_MS, newPlace, startServe } from "../../harness/serve-process.ts";
import { readSettings } from "../../harness/settings.ts";

const HOST = "127.0.0.1";

interface Row {
  readonly port: number;
  readonly taken: readonly number[];
  readonly chosen: number;
}

test.each<Row>([
  { port: 8080, taken: [], chosen: 8080 },
  { port: 8080, taken: [8080], chosen: 8081 },
  { port: 8080, taken: [8080, 8081, 8083], chosen: 8082 },
  { port: 8080, taken: [8080, 8081, 8082, 8083, 8084, 8085, 8086, 8087, 8088], chosen: 8089 },
  { port: 8080, taken: Array.from({ length: 10 }, (_, at) => 8080 + at), chosen: 8080 },
  { port: 9000, taken: [9000], chosen: 9000 },
])(
  "beside programs on $taken, a quick start for port $port has port $chosen",
  async ({ port, taken, chosen }) => {
    const isTaken = async (_: string, one: number) => taken.includes(one);
    expect(await chooseFreePort({ host: HOST, port }, () => {}, isTaken)).toBe(chosen);
  },
);

/** Nobody else's address, so that other tests may have the same ports at the same time. Other systems than Linux have one. */
const OWN_HOST = `127.77.${(process.pid >> 8) & 255}.${process.pid & 255}`;

test.skipIf(process.platform !== "linux")(
  "a start beside another program takes the next port if it may choose, and else says what to do",
  async () => {
    using _ = takePort(8080);
    const place = newPlace("{}");
    const choosing = startServe(place, "--quickstart", "--host", OWN_HOST, "--simulate");
    expect(await choosing.listens()).toMatch(/:808[1-9]$/);
    expect(choosing.err).toMatch(/^poundkey: port 8080 is in use, so this is port 808[1-9]$/m);
    choosing.signal("SIGTERM");
    expect(await choosing.exited).toBe(0);
    const refused = startServe(place, "--quickstart", "--port", "8080", "--host", OWN_HOST);
    expect(await refused.exited).toBe(1);
    expect(refused.err).toContain(
      "poundkey: port 8080 is in use: choose another with --port N (0: any free one)",
    );
    place.remove();
  },
  LONG_MS,
);

/** Somebody who listens at all addresses has it too. */
function takePort(port: number): Disposable {
  try {
    return Bun.serve({ hostname: OWN_HOST, port, fetch: () => new Response() });
  } catch {
    return { [Symbol.dispose]: () => {} };
  }
}

test("the greeting says all that one needs, in the order in which one needs it", () => {
  const settings = readSettings(`store: "sqlite:first/poundkey.db"\n`);
  const given = { address: "http://127.0.0.1:8080", secret: "sk-secret", made: "pk-admin-one", settings };
  const greeting = writeGreeting({ ...given, link: "a-secret" });
  const order = [
    "No provider's API key is set",
    "  Base URL   http://127.0.0.1:8080/v1",
    "  API key    sk-secret",
    "  Manual     http://127.0.0.1:8080/docs",
    "  Console    http://127.0.0.1:8080/#once=a-secret\n",
    `  Store      ${resolve("first/poundkey.db")}`,
    "Connect your agents: npx bun src/main.ts setup\n",
    "Try it:",
    "curl http://127.0.0.1:8080/v1/chat/completions",
    "Streamed:",
    "curl -N http://127.0.0.1:8080/v1/chat/completions",
    "The console's link signs in once, within 10 minutes. Later, sign in with the admin token  pk-admin-one",
  ];
  const found = order.map((line) => greeting.indexOf(line));
  expect(found).not.toContain(-1);
  expect(found).toEqual(found.toSorted((one, other) => one - other));
  expect(writeGreeting({ ...given, link: null })).toContain("  Console    http://127.0.0.1:8080/\n");
});
