// A firewall before a provider refuses one account's texts: another account's are served with the same credentials.
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
    const isDisliked = text.includes("disliked");
    response.writeHead(isDisliked ? 403 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isDisliked ? { error: { message: "Request blocked." } } : ANSWER));
  });
  const model = "{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }";
  const house = (name: string, keys: string) =>
    `  ${name}: { dialect: openai, keys: [${keys}], base_url: "${upstream.url}", models: [${model}] }`;
  const rows = Object.entries(KEYS).map(([name, keys]) => house(name, keys));
  gateway = await startUnderTest({ more: rows.join("\n") });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

test.each(Object.keys(KEYS))(
  "an account is served by %s while another's texts are refused again and again",
  async (name) => {
    const newKey = async (title: string) =>
      gateway.newKey({ name: title, account_id: await gateway.newAccount(title) });
    const [failing, good] = [await newKey("failing"), await newKey("good")];
    const ask = (text: string, key: typeof good) => gateway.chat(asking(`${name}#m`, text), key);
    const statuses: number[] = [];
    const failed = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      const others = Array.from({ length: AT_ONCE }, () => ask("disliked", failing));
      for (const text of ["Hello!", "And again."]) statuses.push((await ask(text, good)).status);
      for (const other of others) failed.add((await other).status);
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(failed).not.toContain(200);
  },
);
