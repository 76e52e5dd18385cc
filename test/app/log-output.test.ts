// Standard output that takes no log lines: a reader that stands still or leaves, and a full disk.
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createOutput } from "../../src/telemetry/log-output.ts";
import { LONG_MS, newPlace, type Place, startServe } from "../harness/serve-process.ts";
import { until } from "../whole/world/until.ts";

const AGAIN = "poundkey: standard output takes log lines again";

test("a reader that stands still costs a bounded memory, and is read to again", async () => {
  const reader = Bun.spawn(["cat"], { stdin: "pipe", stdout: "ignore", stderr: "ignore" });
  try {
    reader.kill("SIGSTOP");
    const said: string[] = [];
    const piece = "a".repeat(2 ** 20);
    const write = createOutput(reader.stdin, piece.length * 8, (text) => said.push(text));
    // The first ones fill the pipe, in part.
    for (let count = 0; count < 8; count++) write(piece);
    expect(said).toEqual([]);
    for (let count = 0; count < 8; count++) write(piece);
    expect(said).toEqual([expect.stringMatching(/log lines are dropped.*doesn't read$/)]);
    reader.kill("SIGCONT");
    await until("all has been read", () => said.length > 1);
    expect(said.slice(1)).toEqual([AGAIN]);
    for (let count = 0; count < 8; count++) write(piece);
    expect(said.slice(2)).toEqual([]);
  } finally {
    // A stopped process doesn't end by itself.
    reader.kill("SIGKILL");
  }
});

/** Starts a gateway with this output, has it answer three requests, and returns what it said until its end. */
async function serveWith(place: Place): Promise<string> {
  const serving = startServe(place, "--quickstart");
  try {
    const url = await serving.listens();
    const secret = await until("a key is printed", () => /sk-[\w-]+/.exec(serving.err)?.[0], LONG_MS);
    for (let count = 0; count < 3; count++) {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "Sim#sim-mini", messages: [{ role: "user", content: "say: hello" }] }),
      });
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("hello")]);
    }
    serving.signal("SIGTERM");
    expect(await serving.exited).toBe(0);
    return serving.err;
  } finally {
    serving.end();
  }
}

const place = newPlace("server: { port: 0 }\nlog: { level: info }");
afterAll(() => place.remove());

test(
  "requests are answered while log lines go to a disk without space, which is said once",
  async () => {
    const said = await serveWith({ ...place, out: "/dev/full" });
    expect(said.match(/log lines are dropped|ENOSPC/g)).toEqual(["log lines are dropped", "ENOSPC"]);
  },
  LONG_MS,
);

test(
  "requests are answered while log lines have no reader any more, which is said once",
  async () => {
    const out = join(place.directory, "out");
    await Bun.spawn(["mkfifo", out]).exited;
    // The gateway starts once this has opened the pipe, and it leaves at once.
    Bun.spawn(["head", "-c", "0", out], { stdout: "ignore", stderr: "ignore" });
    const said = await serveWith({ ...place, out });
    expect(said.match(/log lines are dropped|EPIPE/g)).toEqual(["log lines are dropped", "EPIPE"]);
  },
  LONG_MS,
);
