// Bad input over HTTP: each row has the contract's exact status, code and field, and none causes a 5xx, an echo or an
// upstream call.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject } from "../../src/core/json/json.ts";
import { mintSecret } from "../../src/keys/secret.ts";
import { formatLine, seen } from "../whole/world/observe.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { BAD_FIELD_ROWS, GOOD_FIELD_ROWS } from "./rows/bad-fields.ts";
import { BAD_REQUEST_ROWS, BODY_LIMIT, GOOD_REQUEST_ROWS } from "./rows/bad-requests.ts";
import { play, type Row, type Secrets } from "./rows/row.ts";
import { HEADERS_REFUSED, HEADERS_TAKEN, HEADERS_WITHOUT, misplacedRows } from "./rows/secrets.ts";

let world: HttpWorld;
let secrets: Secrets;
/** The values of `{name}` in the tables of credentials. */
let words: Readonly<Record<string, string>>;

beforeAll(async () => {
  world = await startHttpWorld({
    more: "limits: { n: 16, messages: 10000 }",
    server: `body_limit: ${BODY_LIMIT}B`,
  });
  const restricted = await world.newKey({ requests_per_day: null, allowed_models: ["Acme#cheap"] });
  const spent = await world.newKey({ requests_per_day: 1 });
  secrets = {
    holder: world.secret,
    limited: (await world.newKey()).secret,
    restricted: restricted.secret,
    unlucky: restricted.secret,
    spent: spent.secret,
    operator: world.adminToken,
    nobody: null,
  };
  await (await world.chat(asking("Local#sim"), { secret: spent.secret })).text();
  words = await wordsOf();
});
afterAll(() => world.stop());

async function wordsOf(): Promise<Readonly<Record<string, string>>> {
  const { secret } = world;
  const revoked = await world.newKey();
  const admin = { authorization: `Bearer ${world.adminToken}` };
  await fetch(`${world.url}/admin/v1/keys/${revoked.id}`, { method: "DELETE", headers: admin });
  const expired = await world.newKey({ expires_at: new Date(Date.now() + 300).toISOString() });
  await until401(expired.secret);
  return {
    secret,
    wrong: mintSecret({ bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) }),
    cut: secret.slice(0, -1),
    revoked: revoked.secret,
    expired: expired.secret,
    admin: world.adminToken,
    bare: secret.slice(3),
    upper: secret.toUpperCase(),
    halves: `${secret.slice(0, 20)} ${secret.slice(20)}`,
  };
}

async function until401(secret: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const response = await models(`Bearer ${secret}`);
    if (response.status === 401) return;
    await Bun.sleep(50);
  }
  throw new Error("the key does not expire");
}

function models(authorization: string): Promise<Response> {
  return fetch(`${world.url}/v1/models`, { headers: { authorization } });
}

const filled = (text: string) => text.replace(/\{(\w+)\}/g, (all, word: string) => words[word] ?? all);
const table = (rows: readonly Row[]) => rows.map((row) => [row.name, row] as const);
const played = async (_name: string, row: Row) => void (await play(world, secrets, row));

describe("fields out of bounds", () => {
  test.each(table(BAD_FIELD_ROWS))("%s", played);
});
describe("fields within bounds", () => {
  test.each(table(GOOD_FIELD_ROWS))("%s", played);
});
describe("refused requests", () => {
  test.each(table(BAD_REQUEST_ROWS))("%s", played);
});
describe("unusual but valid requests", () => {
  test.each(table(GOOD_REQUEST_ROWS))("%s", played);
});

describe("credentials", () => {
  test.each(Object.keys(HEADERS_REFUSED))("%s: refused, and none of it is repeated", async (name) => {
    const header = filled(HEADERS_REFUSED[name] ?? "");
    const answer = await seen(await models(header));
    expect(formatLine(answer)).toBe("401 invalid_request_error invalid_api_key");
    expect(answer.error?.message).toStartWith("Incorrect API key provided");
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    const { secret } = world;
    const body = JSON.stringify(asking("Local#sim"));
    world.callsSince();
    const headers = { authorization: header, "content-type": "application/json" };
    const chat = await fetch(`${world.url}/v1/chat/completions`, { method: "POST", body, headers });
    expect(await chat.text()).toBe(answer.text);
    expect(answer.text).not.toContain(secret.slice(3, 12));
    expect(world.callsSince()).toBe(0);
  });

  const refusalOf = async (header: string) => (await seen(await models(filled(header)))).text;

  test("a key of the right form gets the same answer, whatever is wrong with it", async () => {
    const texts = new Set<string>();
    for (const name of ["never made", "revoked", "expired"])
      texts.add(await refusalOf(HEADERS_REFUSED[name] ?? ""));
    expect([...texts]).toEqual([expect.stringContaining("it is wrong, revoked or expired")]);
  });

  test.each([
    "Bearer {}x",
    "Bearer <{}>",
    "Bearer Bearer {}",
    'Bearer "{}"',
    "Bearer {},{}",
    "{}",
    "Basic {}",
  ])("%s: the answer is the same for keys that exist and keys that don't", async (form) => {
    const texts = new Set<string>();
    for (const word of ["secret", "wrong", "revoked", "expired"]) {
      texts.add(await refusalOf(form.replaceAll("{}", `{${word}}`)));
    }
    expect(texts.size).toBe(1);
  });

  test.each(["sk-proj-abc", "sk-ant-api03-abc", "sk-or-v1-abc", "AIzaSyAbc", "sk-abcT3BlbkFJabc"])(
    "%s: the answer says whose key is wanted",
    async (secret) => {
      const answer = await seen(await models(`Bearer ${secret}`));
      expect(formatLine(answer)).toBe("401 invalid_request_error invalid_api_key");
      expect(answer.error?.message).toContain("Use one of this gateway's keys instead.");
    },
  );

  test.each(["x-api-key", "x-goog-api-key"])("%s counts on every route", async (name) => {
    for (const [method, path, status] of [
      ["GET", "/v1/key", 200],
      ["POST", "/v1/route", 400],
      ["POST", "/v1/feedback", 400],
    ] as const) {
      const headers = { [name]: world.secret, "content-type": "application/json" };
      const body = method === "POST" ? "{}" : null;
      const answer = await fetch(`${world.url}${path}`, { method, headers, body });
      expect([path, answer.status]).toEqual([path, status]);
      await answer.body?.cancel();
    }
  });

  test.each(Object.keys(HEADERS_WITHOUT))("%s: no key was sent", async (name) => {
    const answer = await seen(await models(filled(HEADERS_WITHOUT[name] ?? "")));
    expect(formatLine(answer)).toBe("401 invalid_request_error null");
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.text).not.toContain(world.secret);
  });

  test.each(Object.keys(HEADERS_TAKEN))("%s: accepted", async (name) => {
    expect(formatLine(await seen(await models(filled(HEADERS_TAKEN[name] ?? ""))))).toBe("200 whole");
  });

  test("a secret in any other place is ignored, except in a URL, where it is refused", async () => {
    for (const row of misplacedRows(world.secret)) await play(world, secrets, row);
  });

  test("operator routes refuse gateway keys", async () => {
    const paths = ["/admin/v1/keys", "/admin/v1/accounts", "/admin/v1/requests"];
    for (const path of paths) {
      for (const who of ["holder", "nobody"] as const) {
        await play(world, secrets, { name: path, path, who, status: 401 });
        await play(world, secrets, {
          name: path,
          path,
          who,
          method: "POST",
          body: "{",
          status: path.endsWith("requests") ? 405 : 401,
        });
      }
    }
  });
});

describe("validation and sending see the same request", () => {
  /** Returns the body that the provider received. */
  async function sent(body: string): Promise<Record<string, unknown>> {
    await play(world, secrets, { name: "sent", body, status: 200, calls: 1 });
    return world.simulator.calls.last()?.body as Record<string, unknown>;
  }
  const rest = '"messages":[{"role":"user","content":"x"}]';

  test("the last of duplicate fields counts, for both", async () => {
    const got = await sent(
      `{"model":"Nobody#x","temperature":9,"model":"Local#sim","temperature":1,${rest}}`,
    );
    expect(got).toMatchObject({ model: "sim", temperature: 1 });
    const body = `{"model":"Local#sim","temperature":1,${rest},"temperature":9}`;
    await play(world, secrets, { name: "twice", body, status: 400, param: "temperature", calls: 0 });
  });

  test("fields that would reach an object's prototype are ignored", async () => {
    const evil = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":1';
    const message = `"messages":[{${evil},"role":"user","content":"x"}]`;
    const got = await sent(`{${evil},"model":"Local#sim",${message}}`);
    expect(JSON.stringify(got)).not.toMatch(/proto|constructor|polluted/);
    expect("polluted" in {}).toBe(false);
  });

  test("fields outside the API only go to servers that document them", async () => {
    const more = { chat_template_kwargs: { a: [1] }, x_own: 1 };
    const local = await sent(JSON.stringify(asking("Local#sim", "x", more)));
    expect(local).toMatchObject({ chat_template_kwargs: { a: [1] } });
    expect(local).not.toHaveProperty("x_own");
    const anthropic = await sent(JSON.stringify(asking("Anthropic#sim", "x", more)));
    for (const field of Object.keys(more)) expect(anthropic).not.toHaveProperty(field);
  });

  test("routing fields of other gateways have no effect", async () => {
    const trap = {
      api_base: world.odd.url,
      base_url: world.odd.url,
      api_key: "x",
      custom_host: world.odd.url,
    };
    const before = world.odd.calls.total;
    await play(world, secrets, {
      name: "trap",
      body: { ...asking("Anthropic#sim"), ...trap, extra_headers: { host: "x" } },
      headers: { "x-portkey-custom-host": world.odd.url, "helicone-target-url": world.odd.url },
      status: 200,
    });
    expect(world.odd.calls.total).toBe(before);
    const { headers } = world.simulator.calls.last() ?? {};
    expect(headers?.["x-api-key"]).toBe("sim-key");
    expect(JSON.stringify(headers)).not.toMatch(/portkey|helicone|poundkey|sk-/);
  });

  test("even servers of the OpenAI dialect, which may be gateways, don't receive them", async () => {
    const url = world.odd.url;
    const trap = {
      api_base: url,
      base_url: url,
      custom_host: url,
      proxy: url,
      webhook: url,
      api_key: "x",
      litellm_params: { api_base: url },
      plugins: [{ id: "web" }],
      provider: { order: ["x"] },
    };
    await play(world, secrets, {
      name: "trap",
      body: { ...asking("Local#sim"), ...trap, top_k: 1 },
      status: 200,
      check: ({ headers }) =>
        expect(headers.get("x-poundkey-dropped")?.split(", ").sort()).toEqual(Object.keys(trap).sort()),
    });
    const got = asObject(world.simulator.calls.last()?.body);
    expect(got).toHaveProperty("top_k");
    for (const field of Object.keys(trap)) expect(got).not.toHaveProperty(field);
  });
});
