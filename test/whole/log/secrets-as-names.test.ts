// A secret that a client sends as a name: a model, a tag, a session or a request's id. No list, row or file has it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { asArray } from "../../../src/core/json/json.ts";
import { mintSecret, mintTokenSecret } from "../../../src/keys/secret.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { type HttpWorld, startHttpWorld } from "../world/world.ts";

const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
let world: HttpWorld;
beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world.stop());

function ask(model: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${world.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "say: hi" }] }),
  });
}

test("it is shown as its prefix and last four characters, and stands in no file", async () => {
  const secret = mintSecret(random);
  const token = mintTokenSecret(random);
  const hidden = `sk-…${secret.slice(-4)}`;
  const unknown = await ask(secret, {});
  const said = await unknown.text();
  expect([unknown.status, said.includes(secret)]).toEqual([404, false]);
  expect(said).toContain(`'sk-...${secret.slice(-4)}'`);
  const headers = { "x-poundkey-tags": `team=${secret}`, "x-session-id": token, "x-request-id": secret };
  const answered = await ask("Acme#cheap", headers);
  expect([answered.status, answered.headers.get("x-request-id")]).toEqual([
    200,
    expect.stringMatching(/^req_/),
  ]);
  await answered.text();
  const operator = createOperator(world);
  const find = async () => asArray((await operator.get("/requests?limit=10")).body.data);
  await until("the row is written", async () => (await find()).length > 0);
  const refused = async () => asArray((await operator.get("/refusals?limit=10")).body.data);
  await until("the refusal is written", async () => (await refused()).length > 0);
  expect(await refused()).toMatchObject([{ model_asked: hidden }]);
  const [row] = await find();
  expect(row).toMatchObject({
    tags: { team: `sk-...${secret.slice(-4)}` },
    session: `pk-…${token.slice(-4)}`,
  });
  for (const file of ["poundkey.db", "poundkey.db-wal"]) {
    const text = await Bun.file(join(world.directory, file)).text();
    expect([text.includes(secret), text.includes(token)]).toEqual([false, false]);
  }
  expect(JSON.stringify(world.events)).not.toContain(secret);
});
