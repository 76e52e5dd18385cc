// Accounts without money, in the words of those who say so with 400: another key is asked, or the fallback.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { asking } from "../world/world.ts";

interface Words {
  readonly status: number;
  readonly error: object;
}

/** By the last word of the credential. */
const SAYS: Readonly<Record<string, Words>> = {
  // Groq, "Spend limits", and its error of a closed organization (console.groq.com/docs, November 2026).
  blocked: {
    status: 400,
    error: {
      message: "API access is blocked: the spend limit of your organization is reached.",
      type: "invalid_request_error",
      code: "blocked_api_access",
    },
  },
  restricted: {
    status: 400,
    error: {
      message: "Organization has been restricted. Please reach out to support.",
      type: "invalid_request_error",
      code: "organization_restricted",
    },
  },
  // LiteLLM 1.110.2, BudgetExceededError.
  spent: {
    status: 400,
    error: {
      message: "Budget has been exceeded! Current cost: 20.1, Max budget: 20.0",
      type: "budget_exceeded",
      param: null,
      code: "400",
    },
  },
  user: {
    status: 400,
    error: {
      message: "ExceededBudget: End User=ada over budget. Spend=2.1, Budget=2.0",
      type: "budget_exceeded",
      param: null,
      code: "400",
    },
  },
};

let upstream: TestServer;
let gateway: UnderTest;

beforeAll(async () => {
  upstream = await serveHttp(async (request, response) => {
    await readText(request);
    const said = SAYS[String(request.headers.authorization).split("-").at(-1) ?? ""];
    response.writeHead(said?.status ?? 200, { "content-type": "application/json" });
    const message = { role: "assistant", content: "ok" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    const answer = { id: "1", object: "chat.completion", created: 1, model: "m", choices, usage };
    response.end(JSON.stringify(said ? { error: said.error } : answer));
  });
  const house = (name: string, keys: string) =>
    `  ${name}: { dialect: openai, keys: [${keys}], base_url: "${upstream.url}", models: [{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }] }`;
  const rows = Object.keys(SAYS).flatMap((word) => [
    house(`Two-${word}`, `first-key-${word}, second-key-good`),
    house(`One-${word}`, `first-key-${word}`),
  ]);
  const models = Object.keys(SAYS).map((word) => `  "One-${word}#m": { fallbacks: ["Well#m"] }`);
  gateway = await startUnderTest({
    more: [...rows, house("Well", "any-key-good"), "models:", ...models].join("\n"),
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

async function ask(model: string, stream: boolean) {
  const answered = await gateway.chat(asking(model, undefined, { stream }));
  const text = await answered.text();
  return [answered.status, answered.headers.get("x-poundkey-model"), text] as const;
}

test.each(["blocked", "restricted", "spent"])("an account that is %s is passed over", async (word) => {
  for (const stream of [false, true]) {
    for (let times = 0; times < 4; times++) {
      const [status, model] = await ask(`Two-${word}#m`, stream);
      expect([status, model]).toEqual([200, `Two-${word}#m`]);
    }
    const [status, model] = await ask(`One-${word}#m`, stream);
    expect([status, model]).toEqual([200, "Well#m"]);
  }
});

test("a budget of the request's own user is the client's matter, and stops nobody else", async () => {
  const [status, , text] = await ask("One-user#m", false);
  expect([status, asObject(asObject(parseJson(text)).error).message]).toEqual([
    400,
    "ExceededBudget: End User=ada over budget. Spend=2.1, Budget=2.0",
  ]);
});
