// Words of the command line as people type them: other names of flags and groups, times and amounts in short, a file as a word.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../../src/cli/commands.ts";
import { readExpiry } from "../../../src/cli/expiry-words.ts";
import { explainUnreachable } from "../../../src/cli/gateway/unreachable.ts";
import { runKeys } from "../../../src/cli/keys/keys.ts";
import { runExport } from "../../../src/cli/log/export.ts";
import { runRequests, runUsage } from "../../../src/cli/log/log.ts";
import { runAccounts } from "../../../src/cli/money/accounts.ts";
import { adminBench } from "../../admin/admin-world.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";

const bench = adminBench();
const settings = readSettings("providers: { DeepSeek: { keys: [a] } }");
type Command = typeof runKeys;
const run = (command: Command, ...args: readonly string[]) =>
  runPrinting((io) => command(args, io, bench().open, settings));
const ask = (...args: readonly string[]) => runPrinting((io) => runCommandLine(args, io));

test("models are found by words", async () => {
  const { out } = await ask("models", "Sonnet", "5");
  const ids = out
    .split("\n")
    .slice(1)
    .map((line) => line.split(" ")[0] ?? "");
  expect(ids).toContain("Anthropic#claude-sonnet-5");
  expect(ids.filter((id) => !/sonnet/i.test(id) || !id.includes("5"))).toEqual([]);
  const none = await ask("models", "claude-sonet-5");
  expect([none.code, none.out, none.err]).toEqual([0, "", "No model matches; did you mean claude-sonnet-5?"]);
  expect((await ask("models", "nothing-like-it")).err).toBe("No model matches.");
});

test("check takes its file as a word, and not twice", async () => {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-typed-"));
  const file = join(folder, "own.yaml");
  writeFileSync(file, "server: { prot: 1 }\n");
  const { code, err } = await ask("check", file);
  expect([code, err]).toEqual([1, expect.stringContaining("own.yaml:1")]);
  const twice = await ask("check", file, "--config", file);
  expect([twice.code, twice.err]).toEqual([2, expect.stringContaining("twice")]);
  rmSync(folder, { recursive: true });
});

test("sums are grouped by the words that people say", async () => {
  await writeRecord(bench().world.store, makeRecord("one"));
  const heads: Readonly<Record<string, string>> = {
    model: "MODEL",
    models: "MODEL",
    person: "MEMBER",
    people: "MEMBER",
    Keys: "KEY",
    "day,team": "DAY ACCOUNT",
  };
  for (const [words, head] of Object.entries(heads))
    for (const given of [["--by", words], [`--by=${words}`], ["--group-by", words]]) {
      const { code, out } = await run(runUsage, "--since", "2026-11-20", ...given);
      const shown = (out.split("\n")[0] ?? "").trim().split(/ +/);
      expect([given, code, shown.slice(0, head.split(" ").length).join(" ")]).toEqual([given, 0, head]);
    }
  expect((await run(runExport, "usage", "--by", "models", "--json")).out).toContain('"model":"Sim#echo"');
  expect((await run(runUsage, "--by", "week")).code).toBe(2);
});

test("requests are found by a class of statuses", async () => {
  const { store } = bench().world;
  for (const [at, status] of [200, 404, 429, 499, 502].entries())
    await writeRecord(store, makeRecord(`s${status}`, { atMs: NOON + at, status }));
  const find = async (status: string) =>
    JSON.parse((await run(runRequests, "--status", status, "--json")).out).map(
      ({ id }: { id: string }) => id,
    );
  expect(await find("4xx")).toEqual(["s499", "s429", "s404"]);
  expect(await find("5xx")).toEqual(["s502"]);
  expect(await find("2xx")).toEqual(["s200"]);
  const wrong = await run(runRequests, "--status", "9xx");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("4xx")]);
});

test("a time to end is told from now", () => {
  const nowMs = Date.parse("2026-11-20T12:00:00Z");
  const read = (text: string) => readExpiry(text, nowMs);
  expect(["tomorrow", "30d", "+12h", "2w", "next-week"].map(read)).toEqual([
    "2026-11-21T12:00:00.000Z",
    "2026-12-20T12:00:00.000Z",
    "2026-11-21T00:00:00.000Z",
    "2026-12-04T12:00:00.000Z",
    "2026-11-27T12:00:00.000Z",
  ]);
  expect(["never", "2027-01-31", "soon"].map(read)).toEqual([null, "2027-01-31", "soon"]);
});

test("a key says when it ends, and a bare budget is one of a month", async () => {
  const { out } = await run(runKeys, "add", "--name", "short", "--expires", "3650d", "--budget", "50");
  expect(out).toMatch(/ It expires at 20\d\d-\d\d-\d\dT/);
  const [key] = JSON.parse((await run(runKeys, "list", "--json")).out);
  expect(key.budgets).toMatchObject([{ usd: 50, per: "month" }]);
  const wrong = await run(runKeys, "add", "--name", "b", "--budget", "50/fortnight");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("like 50 (a month)")]);
});

test("a name that another key has is warned of, until that key has ended", async () => {
  const add = (...args: readonly string[]) => run(runKeys, "add", "--name", "twice", ...args);
  const first = JSON.parse((await add("--json")).out);
  const warning = `warning: another key has this name, such as ${first.id}; give the id where one is meant`;
  const second = await add("--json");
  expect([second.code, second.err.split("\n")]).toEqual([0, expect.arrayContaining([warning])]);
  for (const { id } of [first, JSON.parse(second.out)]) await run(runKeys, "revoke", id);
  expect((await add()).err).not.toContain("another key");
});

test("keys and accounts are exported, without secrets", async () => {
  await run(runAccounts, "add", "--name", "Search");
  const { secret, id } = JSON.parse(
    (await run(runKeys, "add", "--name", "out", "--account", "Search", "--json")).out,
  );
  const keys = (await run(runExport, "keys")).out;
  expect(keys).toContain(id);
  expect(keys).toContain("Search");
  expect(keys).not.toContain(secret);
  expect((await run(runExport, "accounts", "--json")).out).toContain('"name":"Search"');
});

test("why a gateway wasn't reached is said in our words, by what happened", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) });
  const redirecting = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.redirect("http://a.test/"),
  });
  const open = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const closed = open.port;
  await open.stop(true);
  const fail = async (url: string, waitMs = 20_000) => {
    const error: unknown = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(waitMs) }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return explainUnreachable("it", error);
  };
  const said = {
    refused: await fail(`http://127.0.0.1:${closed}`),
    timeout: await fail(`http://127.0.0.1:${server.port}`, 50),
    tls: await fail(`https://127.0.0.1:${server.port}`),
    redirect: await fail(`http://127.0.0.1:${redirecting.port}`),
    name: explainUnreachable("it", Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" })),
  };
  await Promise.all([server.stop(true), redirecting.stop(true)]);
  expect(said).toEqual({
    refused: expect.stringMatching(/^it can't be reached: connection refused \(\w+\): nothing listens there/),
    timeout: "it can't be reached: timeout: it is down, or a firewall is between",
    tls: expect.stringMatching(/^it can't be reached: .*(TLS|certificate|HTTPS)/),
    redirect: expect.stringContaining("redirects to another address"),
    name: "it can't be reached: name not found (ENOTFOUND): check how it is spelt",
  });
  for (const sentence of Object.values(said)) expect(sentence).not.toContain("Is the computer able");
});
