// One account's requests make a provider refuse or fail, while another account asks for what it serves.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { asking } from "../world/world.ts";

const ANSWER = {
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};
/** By a word of the request: a template that can't render it, and a firewall before the provider that dislikes it. */
const SAYS = {
  unrenderable: { status: 500, message: "Cannot render this conversation." },
  disliked: { status: 403, message: "Request blocked." },
};
/** The credentials of each provider. */
const KEYS = { Three: "first-key, second-key, third-key", Two: "first-key, limited-key", One: "only-key" };
const AT_ONCE = 4;
const ROUNDS = 22;

let upstream: TestServer;
let gateway: UnderTest;

beforeAll(async () => {
  upstream = await serveHttp(async (request, response) => {
    const text = await readText(request);
    if (request.headers.authorization?.includes("limited") === true) {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "600" });
      response.end(JSON.stringify({ error: { message: "Rate limit reached." } }));
      return;
    }
    const said = Object.entries(SAYS).find(([word]) => text.includes(word))?.[1];
    response.writeHead(said?.status ?? 200, { "content-type": "application/json" });
    response.end(JSON.stringify(said ? { error: { message: said.message } } : ANSWER));
  });
  const model = "{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }";
  const house = (name: string, keys: string) =>
    `  ${name}: { dialect: openai, keys: [${keys}], base_url: "${upstream.url}", models: [${model}] }`;
  const rows = Object.keys(SAYS).flatMap((word) =>
    Object.entries(KEYS).map(([name, keys]) => house(`${name}-${word}`, keys)),
  );
  gateway = await startUnderTest({ more: rows.join("\n") });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

for (const word of Object.keys(SAYS))
  for (const name of Object.keys(KEYS))
    test(`an account is served by ${name} while another's texts are ${word}, again and again`, async () => {
      const newKey = async (title: string) =>
        gateway.newKey({ name: title, account_id: await gateway.newAccount(title) });
      const [failing, good] = [await newKey("failing"), await newKey("good")];
      const ask = (text: string, key: typeof good) => gateway.chat(asking(`${name}-${word}#m`, text), key);
      const statuses: number[] = [];
      const failed = new Set<number>();
      for (let round = 0; round < ROUNDS; round++) {
        const others = Array.from({ length: AT_ONCE }, () => ask(word, failing));
        for (const text of ["Hello!", "And again."]) statuses.push((await ask(text, good)).status);
        for (const other of others) failed.add((await other).status);
      }
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      expect(failed).not.toContain(200);
    });
