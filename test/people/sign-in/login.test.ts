// `poundkey login` and `poundkey token`: keys for agents that run a command to get theirs.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { poundkey } from "../../harness/poundkey.ts";
import type { Browser } from "./browser.ts";
import { findFile, logInAt, runToken } from "./command-line.ts";
import { askAs, type SignInWorld, signInAs, startSignInWorld } from "./world.ts";

const MEMBERS = "rules: [{ group: search, role: member, accounts: [default] }]";

let world: SignInWorld;
let mia: Browser;
const home = mkdtempSync(join(tmpdir(), "poundkey-login-"));
beforeAll(async () => {
  world = await startSignInWorld({ oidc: MEMBERS });
  world.provider.people.set("mia", { name: "Mia", groups: ["search"] });
  mia = (await signInAs(world, "mia")).browser;
});
afterAll(async () => {
  await world.stop();
  rmSync(home, { recursive: true });
});

/** Changes the time at which the stored key ends, as if time had passed. */
function endIn(minutes: number): void {
  const file = findFile(home);
  const kept = JSON.parse(readFileSync(file, "utf8"));
  kept.logins[world.url].until_ms = Date.now() + minutes * 60_000;
  writeFileSync(file, JSON.stringify(kept));
}

async function works(secret: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${secret}` };
  return (await fetch(`${world.url}/v1/key`, { headers })).ok;
}

test("a person signs in once, and agents get keys until the sign-in ends", async () => {
  expect(await runToken(home)).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("poundkey login"),
  });
  expect(await logInAt(world.url, home, mia)).toBe(0);
  expect(statSync(findFile(home)).mode & 0o777).toBe(0o600);
  const first = (await runToken(home)).out.trim();
  expect([first.startsWith("sk-"), await works(first)]).toEqual([true, true]);
  endIn(16);
  expect((await runToken(home)).out.trim()).toBe(first);
  // Less than 15 minutes are left: three agents ask at once.
  endIn(14);
  const asked = await Promise.all([1, 2, 3].map(() => runToken(home)));
  const keys = new Set(asked.map(({ out }) => out.trim()));
  const [next = ""] = keys;
  expect([keys.size, next === first, await works(next)]).toEqual([1, false, true]);
  const { out } = await runToken(home, world.url, "--json");
  expect(JSON.parse(out)).toEqual({ url: world.url, token: next, expires_at: expect.any(String) });
  // The gateway is away, but the key still works.
  endIn(14);
  world.front.lead(null);
  expect((await runToken(home)).out.trim()).toBe(next);
  world.front.lead(world.gateway.url);
  const { id } = asObject(asObject((await askAs(mia, world.url, "/session")).body).actor);
  const list = asObject((await askAs(mia, world.url, `/members/${id}/devices`)).body);
  const [device] = asArray(list.data).map(asObject);
  expect(device).toMatchObject({ agent: "poundkey" });
  const path = `/members/${id}/devices/${device?.id}`;
  expect((await askAs(mia, world.url, path, { method: "DELETE" })).status).toBe(200);
  expect(await runToken(home)).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining(`Your sign-in has ended. Run: poundkey login ${world.url}`),
  });
}, 300_000);

test.each([
  [
    "an address that isn't of the web",
    ["login", "ftp://127.0.0.1"],
    1,
    "'ftp://127.0.0.1' isn't a gateway's URL",
  ],
  ["an address without TLS", ["login", "http://gateway.example"], 1, "must begin with https://"],
  ["no address", ["login"], 2, "expected the gateway's URL"],
  [
    "another gateway",
    ["token", "https://other.example"],
    1,
    "You are not signed in at https://other.example",
  ],
])("%s is refused", async (_, args, code, sentence) => {
  const ran = await poundkey(home, args, { HOME: home });
  expect(ran).toMatchObject({ code, out: "", err: expect.stringContaining(sentence) });
});
