// One key whose texts a server can't take, beside keys of another account and of another member: theirs are all served.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { PEOPLE } from "../../people/samples.ts";
import { signInAs } from "../../people/signed-in.ts";
import { answerWell } from "../../sim/core-world.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

/** As many good requests of the other key as were measured, and as many failing ones before each of them. */
const GOOD = 44;
const FAILING = 5;

/** Each word makes the server fail in its way. */
const WAYS = {
  unrenderable: { status: 500, body: '{"error":{"message":"The template can\'t render it."}}' },
  overloading: { status: 503, body: "<html>upstream connect error</html>" },
  garbling: { status: 200, body: '{"id": "x", "choi' },
  emptying: { status: 200, body: '{"id": "x", "object": "chat.completion", "choices": []}' },
} as const;

let upstream: TestServer;
let world: HttpWorld;
let opened: OpenedStore;

beforeAll(async () => {
  upstream = await serveHttp(async (request, response) => {
    const text = await readText(request);
    const [, way] = Object.entries(WAYS).find(([word]) => text.includes(word)) ?? [];
    response.writeHead(way?.status ?? 200, { "content-type": "application/json" });
    response.end(way?.body ?? (await answerWell(false).text()));
  });
  const row = `  Frail: { dialect: openai, keys: [one, two, three], base_url: "${upstream.url}", unlisted_models: true }`;
  world = await startHttpWorld({ ...PEOPLE, providers: row });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
  await upstream.stop();
});

async function makeMembersKey(account: string, member: string): Promise<string> {
  const ask = await signInAs({ url: world.url, opened }, member, [{ role: "member", accountId: account }]);
  const { body } = await ask("POST", "/keys", { name: `of ${member}` });
  return String(body.secret);
}

async function makeSecrets(whose: string): Promise<readonly [string, string]> {
  const account = await world.newAccount();
  if (whose === "two members of one account")
    return [
      await makeMembersKey(account, `mem_a${account}`),
      await makeMembersKey(account, `mem_b${account}`),
    ];
  const made = [account, await world.newAccount()].map((account_id) => world.newKey({ account_id }));
  const [failing, other] = await Promise.all(made);
  return [failing?.secret ?? "", other?.secret ?? ""];
}

async function ask(secret: string, model: string, text: string): Promise<number> {
  const response = await world.chat(asking(model, text), { secret });
  await response.text();
  return response.status;
}

const ROWS = ["two accounts", "two members of one account"].flatMap((whose) =>
  Object.keys(WAYS).map((word) => ({ whose, word })),
);

test.each(ROWS.map((row, at) => ({ ...row, model: `Frail#${at}` })))(
  `$whose: $word texts of one leave all ${GOOD} requests of the other served`,
  async ({ whose, word, model }) => {
    const [failing, other] = await makeSecrets(whose);
    const fail = () => {
      const texts = Array.from({ length: FAILING }, (_, at) => `say: ${word} ${at}`);
      return Promise.all(texts.map((text) => ask(failing, model, text)));
    };
    const statuses: number[] = [];
    for (let at = 0; at < GOOD; at++) {
      await fail();
      statuses.push(await ask(other, model, "say: good day"));
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    // It still fails fast for the one whose texts fail: of several at once, one at most tests it.
    expect((await fail()).filter((status) => status === 503).length).toBeGreaterThanOrEqual(FAILING - 1);
  },
);
