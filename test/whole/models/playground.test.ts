// The playground over HTTP: requests of every operation by the console's own key, treated by the books like any other.
import { afterAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { formatLine, seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, startHttpWorld } from "../world/world.ts";

const world = await startHttpWorld({ more: "quota: { requests_per_day: 8, throttle: 0s }" });
const operator = createOperator(world);
afterAll(() => world.stop());

const ask = (body: unknown, headers: Record<string, string> = {}, path = "") =>
  operator.post(`/playground${path}`, body, headers);

test("answers whole, streamed and concurrently from the start, and is logged under its own key", async () => {
  const body = asking("Acme#cheap", "say: one two");
  const [whole, streamed] = await Promise.all([ask(body), ask({ ...body, stream: true })]);
  expect(whole.status).toBe(200);
  expect(whole.headers.get("x-poundkey-model")).toBe("Acme#cheap");
  expect(whole.headers.get("x-ratelimit-limit-requests")).toBe("8");
  expect(asObject(whole.body.usage)).toHaveProperty("cost");
  expect(streamed.text).toEndWith("data: [DONE]\n\n");
  const rows = await until("both are logged", async () => {
    const { data } = (await operator.get("/requests?key_id=console")).body;
    return asArray(data).length === 2 ? asArray(data).map(asObject) : null;
  });
  for (const row of rows) expect(row).toMatchObject({ account_id: "default", status: 200, charged_usd: 0 });
  expect(JSON.stringify((await operator.get("/keys")).body)).not.toContain('"console"');
  expect((await operator.delete("/keys/console")).status).toBe(404);
});

test("offers the other operations at the clients' paths, in OpenAI's format only", async () => {
  const input = ["a first text", "another one"];
  const answer = await ask({ model: "Local#sim-embed", input }, {}, "/v1/embeddings");
  expect(answer.status).toBe(200);
  expect(asArray(answer.body.data)).toHaveLength(2);
  const row = await until("it is logged", async () => {
    const { data } = (await operator.get("/requests?key_id=console&operation=embeddings")).body;
    return asArray(data).length === 1 ? asObject(asArray(data)[0]) : null;
  });
  expect(row).toMatchObject({ surface: "openai-embeddings", status: 200 });
  const wrong = await ask({ model: "Local#sim-embed" }, {}, "/v1/embeddings");
  expect(formatLine(wrong)).toBe("400 invalid_request_error missing_required_parameter");
  for (const path of ["/v1/messages", "/v1beta/models/x:embedContent", "/v1/nothing", "/"])
    expect(formatLine(await ask({}, {}, path))).toBe("404 invalid_request_error unknown_url");
  expect(formatLine(await ask({}, { authorization: "Bearer wrong" }, "/v1/embeddings"))).toStartWith("401");
});

test("uses its allowance, then pays or is refused", async () => {
  const body = asking("Acme#dear", "say: one");
  await until("the allowance is used up", async () => (await ask(body)).status === 429);
  expect(formatLine(await ask(body))).toStartWith("429 rate_limit_error rate_limit_exceeded");
  await world.topUp("default", 1);
  const paid = await ask(body);
  expect(paid.status).toBe(200);
  expect(Number(asObject(paid.body.usage).charged)).toBeGreaterThan(0);
});

test("only accepts the session cookie from the console's own page", async () => {
  const signedIn = await fetch(`${world.url}/admin/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: world.adminToken }),
  });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const headers = { "content-type": "application/json", cookie };
  const post = async (more: Record<string, string>) => {
    const body = JSON.stringify(asking("Acme#cheap"));
    const init = { method: "POST", headers: { ...headers, ...more }, body };
    return formatLine(await seen(await fetch(`${world.url}/admin/v1/playground`, init)));
  };
  expect(await post({})).toBe("403 permission_error cross_site_request");
  expect(await post({ "sec-fetch-site": "same-origin" })).toStartWith("200");
  expect(await post({ authorization: `Bearer ${world.secret}` })).toStartWith("401");
});

test("refuses what the chat route refuses", async () => {
  expect(formatLine(await ask({ model: "Acme#cheap" }))).toBe(
    "400 invalid_request_error missing_required_parameter",
  );
  expect(formatLine(await ask(asking("Acme#none")))).toBe("404 invalid_request_error model_not_found");
});
