// The settings that agents get from the operator's files, by their person's groups.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { loadText } from "../../harness/settings.ts";
import { signInAgent } from "./agent.ts";
import { type SignInWorld, signInAs, startSignInWorld } from "./world.ts";

const files = {
  "search.json": '{ "model": "Local#search", "env": { "B": "1", "A": "2" } }',
  "all.json": '{ "model": "Local#m" }',
};

const MEMBERS = `rules: [
  { group: platform, role: admin }, { group: watchers, role: member, accounts: [default] },
  { group: search, role: member, accounts: [default] } ]`;

let world: SignInWorld;
beforeAll(async () => {
  const beside = `agents: { managed_settings: { search: search.json, watchers: all.json } }`;
  world = await startSignInWorld({ oidc: MEMBERS, beside, setup: { files } });
  world.provider.people.set("sue", { name: "Sue", groups: ["watchers", "search"] });
  world.provider.people.set("ida", { name: "Ida", groups: ["platform"] });
});
afterAll(async () => {
  await world.stop();
});

async function readSettings(secret: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.url}/managed/settings`, {
    headers: { authorization: `Bearer ${secret}`, ...headers },
  });
  const text = await response.text();
  return { status: response.status, etag: response.headers.get("etag"), body: text && JSON.parse(text) };
}

test("the first file whose group the person has is served, with its checksum", async () => {
  const { browser } = await signInAs(world, "sue");
  const { access_token: secret } = await signInAgent(browser, world.url);
  const first = await readSettings(secret);
  const sorted = '{"env":{"A":"2","B":"1"},"model":"Local#search"}';
  const checksum = `sha256:${new Bun.CryptoHasher("sha256").update(sorted).digest("hex")}`;
  expect(first).toEqual({
    status: 200,
    etag: `"${checksum}"`,
    body: {
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
      checksum,
      settings: { model: "Local#search", env: { B: "1", A: "2" } },
    },
  });
  expect(await readSettings(secret, { "if-none-match": `"${checksum}"` })).toMatchObject({
    status: 304,
    body: "",
  });
});

test("nobody else gets any, and nobody gets them without a key", async () => {
  const { browser } = await signInAs(world, "ida");
  const { access_token: secret } = await signInAgent(browser, world.url, { account: "default" });
  expect((await readSettings(secret)).status).toBe(404);
  expect((await readSettings(world.gateway.secret)).status).toBe(404);
  expect((await readSettings("sk-none")).status).toBe(401);
});

test.each([
  ["a list", { "own.json": "[]" }, "expected a JSON object"],
  ["no JSON", { "own.json": "{" }, "expected a JSON object"],
  ["nothing", {}, "doesn't exist"],
])("a file with %s is refused", (_, given, sentence) => {
  const oidc = `{ issuer: "https://a.example", client_id: a, client_secret: b, rules: [{ group: a, role: viewer }] }`;
  const yaml = `server: { public_url: "https://b.example" }
sign_in: { oidc: ${oidc}, agents: { managed_settings: { "*": own.json } } }`;
  const loaded = loadText(yaml, { files: given });
  const errors = loaded.ok ? [] : loaded.errors.map(({ field, message }) => `${field}: ${message}`);
  expect(errors).toEqual([expect.stringContaining(sentence)]);
});
