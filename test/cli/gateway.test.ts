// Commands at a gateway elsewhere, by its admin API: there is no store in reach, and no configuration.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "../../src/app/terminal.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { runPrinting, startPoundkey } from "../harness/poundkey.ts";
import { LONG_MS } from "../harness/serve-process.ts";
import { seen } from "../whole/world/observe.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world.stop());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-away-"));
  process.env.POUNDKEY_TOKEN = world.adminToken;
});
afterEach(() => {
  delete process.env.POUNDKEY_TOKEN;
  // Nothing was made where the command ran.
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

const run = (...args: readonly string[]) =>
  runPrinting((io) => runCommandLine([...args, "--gateway", world.url], io));

async function readDone(...args: readonly string[]) {
  const { code, out, err } = await run(...args);
  expect([args, code, code === EXIT.done ? "" : err]).toEqual([args, EXIT.done, ""]);
  return out;
}
const readRow = async (...args: readonly string[]) => asObject(parseJson(await readDone(...args, "--json")));
const readRows = async (...args: readonly string[]) =>
  asArray(parseJson(await readDone(...args, "--json"))).map(asObject);

describe("at a gateway on another port", () => {
  test("keys are added, used, listed, paused, rotated and revoked", async () => {
    const key = await readRow("keys", "add", "--name", "far", "--budget", "5/month");
    const send = async (secret: unknown) =>
      seen(
        await fetch(`${world.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
          body: JSON.stringify(asking("Acme#cheap")),
        }),
      );
    expect((await send(key.secret)).status).toBe(200);
    const id = String(key.id);
    expect(await readDone("keys", "list")).toMatch(new RegExp(`${id} .* 1 .* active$`, "m"));
    expect(await readDone("keys", "pause", id)).toBe(`Paused ${id} (far).`);
    expect((await send(key.secret)).status).toBe(403);
    expect(await readDone("keys", "resume", id)).toBe(`Resumed ${id} (far).`);
    const rotated = await readRow("keys", "rotate", id, "--grace", "1h");
    expect((await send(rotated.secret)).status).toBe(200);
    expect(await readDone("keys", "revoke", id)).toBe(`Revoked ${id} (far).`);
    expect((await send(rotated.secret)).status).toBe(401);
  });

  test("accounts are added, topped up once per idempotency key, and shown", async () => {
    const { id } = await readRow("accounts", "add", "--name", "Away", "--budget", "20/month");
    const topUp = ["accounts", "topup", String(id), "25", "--note", "invoice 17", "--idempotency-key", "a"];
    expect(await readDone(...topUp)).toEndWith("The balance is now 25 USD.");
    expect(await readDone(...topUp)).toEndWith("The balance is now 25 USD.");
    expect(await readDone("accounts", "show", String(id))).toContain("invoice 17");
    expect((await readRows("accounts", "list")).map(({ name }) => name)).toContain("Away");
    const again = await run("accounts", "add", "--name", "Away");
    expect(again.err).toContain(`another account has this name, such as ${id}`);
  });

  test("names stand where ids do, and one that several have is refused with their ids", async () => {
    const team = await readRow("accounts", "add", "--name", "Named");
    const key = await readRow("keys", "add", "--name", "by-name", "--account", "Named");
    expect(key.account_id).toBe(team.id);
    expect(await readDone("accounts", "topup", "Named", "3")).toContain("by 3 USD");
    expect(await readDone("accounts", "show", "Named")).toContain(String(team.id));
    const month = new Date().toISOString().slice(0, 7);
    await readDone("statement", "--account", "Named", "--month", month);
    expect(await readDone("keys", "pause", "by-name")).toBe(`Paused ${key.id} (by-name).`);
    const twin = await readRow("keys", "add", "--name", "by-name");
    const { code, err } = await run("keys", "revoke", "by-name");
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining("several have the name 'by-name'")]);
    expect(err).toContain(String(key.id));
    await readDone("keys", "revoke", String(key.id));
    // The one that has ended is no longer meant.
    expect(await readDone("keys", "revoke", "by-name")).toBe(`Revoked ${twin.id} (by-name).`);
    const token = await readRow("tokens", "add", "--name", "named-token", "--role", "viewer");
    expect(await readDone("tokens", "revoke", "named-token")).toContain(String(token.id));
  });

  test("tokens, people, the log, sums, statements and exports are read", async () => {
    const token = await readRow("tokens", "add", "--name", "ci", "--role", "viewer");
    expect((await readRows("tokens", "list")).map(({ id }) => id)).toContain(token.id);
    expect(await readDone("tokens", "revoke", String(token.id))).toContain("Revoked");
    expect(await readRows("members", "list")).toEqual([]);
    expect((await readRows("requests", "--model", "Acme#cheap")).length).toBeGreaterThan(0);
    expect(await readDone("requests", "--limit", "1")).toContain("Acme#cheap");
    await readDone("refusals");
    expect((await readRows("models", "--provider", "acme")).map(({ id }) => id)).toContain("Acme#cheap");
    expect(await readDone("models")).toContain("Acme#cheap");
    expect(await readRows("usage", "--group-by", "provider")).toContainEqual(
      expect.objectContaining({ provider: "Acme" }),
    );
    expect(await readDone("providers")).toContain("answered");
    const month = new Date().toISOString().slice(0, 7);
    await readDone("statement", "--account", "default", "--month", month);
    const exported = await readDone("export", "requests", "--csv");
    expect(exported.split("\n")[0]).toStartWith("id,request_id,key_id,");
    expect(exported).toContain("Acme#cheap");
  });

  test("its refusal of a field names the flag, and one of rights is its own words", async () => {
    const wrong = await run("keys", "add", "--name", "a", "--models", "not a model at all#");
    expect([wrong.code, wrong.err]).toEqual([EXIT.usage, expect.stringContaining("Invalid --models")]);
    expect(await run("keys", "revoke", "key_none")).toMatchObject({ code: EXIT.failed });
    const { secret } = await readRow("tokens", "add", "--name", "reader", "--role", "viewer");
    process.env.POUNDKEY_TOKEN = String(secret);
    const refused = await run("keys", "add", "--name", "b");
    expect([refused.code, refused.err]).toEqual([EXIT.failed, expect.stringMatching(/^poundkey: .*role/)]);
  });

  test("work on a store alone is refused, and so is a store beside the gateway", async () => {
    for (const [line = "", words = ""] of [
      ["ledger verify", "works on a store alone"],
      ["backup copy.db", "works on a store alone"],
      ["restore copy.db", "works on a store alone"],
      ["keys list --store sqlite:a.db", "--gateway takes the place of --store"],
    ]) {
      const { code, err } = await run(...line.split(" "));
      expect([line, code, err]).toEqual([line, EXIT.usage, expect.stringContaining(words)]);
    }
  });
});

test(
  "requests are followed as they end",
  async () => {
    const { secret, id } = await readRow("keys", "add", "--name", "watched");
    const env = { POUNDKEY_TOKEN: world.adminToken };
    const follow = ["requests", "--follow", "--json", "--key", String(id), "--gateway", world.url];
    const child = startPoundkey(folder, follow, env);
    const ask = () =>
      fetch(`${world.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify(asking("Acme#cheap")),
      });
    let text = "";
    const decoder = new TextDecoder();
    await ask();
    for await (const piece of child.stdout) {
      text += decoder.decode(piece);
      const lines = text.trimEnd().split("\n");
      if (lines.length === 1) await ask();
      if (lines.length >= 2) break;
    }
    child.kill();
    await child.exited;
    const ids = text
      .trimEnd()
      .split("\n")
      .map((line) => asObject(parseJson(line)).id);
    expect(new Set(ids).size).toBe(2);
  },
  LONG_MS,
);

describe("the token", () => {
  test("is needed, and goes over https or to this machine alone", async () => {
    const far = (url: string) => runPrinting((io) => runCommandLine(["keys", "list", "--gateway", url], io));
    expect((await far("http://gateway.example.com")).err).toContain("must begin with https://");
    expect((await far("htps://gateway.example.com")).err).toContain("isn't a gateway's URL");
    delete process.env.POUNDKEY_TOKEN;
    expect(await far(world.url)).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining("POUNDKEY_TOKEN"),
    });
  });

  test("isn't sent on where the gateway redirects", async () => {
    const asked: string[] = [];
    using other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => {
        asked.push(new URL(url).pathname);
        return Response.redirect("/elsewhere", 307);
      },
    });
    const { code, err } = await runPrinting((io) =>
      runCommandLine(["accounts", "list", "--gateway", String(other.url)], io),
    );
    expect([code, err, asked]).toEqual([
      EXIT.failed,
      expect.stringContaining("can't be reached"),
      ["/admin/v1/accounts"],
    ]);
  });
});
