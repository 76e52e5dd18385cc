// Filters of the log that name a key, an account or a provider: by their names too, and 400 if nothing has them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, asString } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

let under: UnderTest;
let first = "";
let search = "";
/** Longer than rows keep. */
const SESSION = `session ${"a".repeat(300)}`;

async function ask(path: string) {
  const headers = { authorization: `Bearer ${under.adminToken}` };
  const response = await fetch(`${under.url}/admin/v1${path}`, { headers });
  const text = await response.text();
  const body = response.headers.get("content-type")?.includes("json") ? asObject(JSON.parse(text)) : {};
  const error = asObject(body.error);
  return { status: response.status, text, data: asArray(body.data).map(asObject), ...error };
}

beforeAll(async () => {
  under = await startUnderTest();
  search = await under.newAccount("Search");
  const key = await under.newKey({ name: "first", account_id: search, requests_per_day: null });
  first = key.id;
  await under.newKey({ name: "twice" });
  await under.newKey({ name: "twice", account_id: search });
  for (const [secret, model] of [
    [key.secret, "OpenAI#gpt-5.4"],
    [under.secret, "Anthropic#claude-sonnet-4-5"],
  ]) {
    const answer = await fetch(`${under.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        ...(secret === key.secret ? { "session-id": " ", "x-session-id": SESSION } : {}),
      },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });
    expect([model, answer.status]).toEqual([model, 200]);
    await answer.text();
  }
});
afterAll(() => under.stop());

describe.each(["/requests?", "/usage?group_by=provider&", "/refusals?"])("%s", (path) => {
  const hasProviders = !path.startsWith("/refusals");

  test.skipIf(!hasProviders)(
    "a provider is found in any case, and a misspelt one refused with the nearest",
    async () => {
      for (const name of ["OpenAI", "openai", "OPENAI"]) {
        const { status, data } = await ask(`${path}provider=${name}`);
        expect([status, data.map(({ provider }) => provider)]).toEqual([200, ["OpenAI"]]);
      }
      expect(await ask(`${path}provider=Opnai`)).toMatchObject({
        status: 400,
        param: "provider",
        code: "invalid_value",
        message: "Invalid 'provider': there is no provider of this name; the nearest name is OpenAI.",
      });
      // One that is known or configured needs no row.
      for (const name of ["groq", "Sim", "Local"])
        expect(await ask(`${path}provider=${name}`)).toMatchObject({ status: 200 });
    },
  );

  test("keys and accounts are found by a name that only one has", async () => {
    const filters = ["key=first", "key_id=FIRST", `key=${first}`, "account=Search", `account_id=${search}`];
    for (const filter of filters) {
      const { status, data } = await ask(`${path}${filter}`);
      expect([filter, status, data.length]).toEqual([filter, 200, hasProviders ? 1 : 0]);
    }
    for (const field of ["key", "key_id"])
      expect(await ask(`${path}${field}=twice`)).toMatchObject({
        status: 400,
        param: field,
        message: expect.stringMatching(
          /several keys have this name; expected the id of one, such as key_\S+, key_\S+\.$/,
        ),
      });
    expect(await ask(`${path}key=nobody`)).toMatchObject({
      message: "Invalid 'key': expected the id of a key, such as key_2f8c41d0, or the name of one.",
    });
    expect(await ask(`${path}account=nobody`)).toMatchObject({ status: 400, param: "account" });
  });

  test("ids without a row, and models that nothing has, are empty lists", async () => {
    for (const filter of ["key=key_gone", "key=hooks", "account=acct_gone", "model=nope"])
      expect(await ask(`${path}${filter}`)).toMatchObject({ status: 200, data: [] });
  });
});

test("a session is found as its client sent it, and a blank one never", async () => {
  for (const path of ["/requests?", "/usage?group_by=provider&"]) {
    for (const [session, count] of [
      [SESSION, 1],
      [" ", 0],
      ["", 0],
    ] as const) {
      const { status, data } = await ask(`${path}session=${encodeURIComponent(session)}`);
      expect([path, session, status, data.length]).toEqual([path, session, 200, count]);
    }
  }
});

test("exports and the overview find the same", async () => {
  for (const name of ["requests", "usage"]) {
    const { status, text } = await ask(`/export/${name}.jsonl?provider=openai&key=first`);
    expect([status, text.trim().split("\n").length]).toEqual([200, 1]);
    expect(text).toContain(name === "requests" ? `"key_id":"${first}"` : '"requests":1');
    expect(await ask(`/export/${name}.csv?provider=Opnai`)).toMatchObject({ status: 400, param: "provider" });
  }
  const { text } = await ask("/overview?provider=openai&key_id=first");
  expect(asObject(asObject(JSON.parse(text)).totals).requests).toBe(1);
  expect(asString((await ask("/overview?key_id=nobody")).text)).toContain("Invalid 'key_id'");
});
