// Clients of LiteLLM go on as they are configured: its header, its probes, its list of models, its metadata.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { seen } from "../world/observe.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await startHttpWorld({});
});
afterAll(() => world.stop());

const send = async (path: string, headers: Record<string, string>, body?: object) =>
  seen(
    await fetch(world.url + path, {
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    }),
  );

test("the key may come in LiteLLM's header, alone, with a scheme, or beside another's in the usual one", async () => {
  const { secret } = await world.newKey();
  const sent: readonly Record<string, string>[] = [
    { "x-litellm-api-key": secret },
    { "x-litellm-api-key": `Bearer ${secret}` },
    { "x-litellm-api-key": secret, authorization: "Bearer sk-ant-of-the-vendor-1234567890" },
  ];
  for (const headers of sent)
    expect((await send("/v1/chat/completions", headers, asking("Acme#cheap"))).status).toBe(200);
  expect((await send("/v1/key", { "x-litellm-api-key": "sk-of-nobody-1234567890" })).status).toBe(401);
});

test("its probes are those here", async () => {
  expect(await send("/health/liveliness", {})).toMatchObject({ status: 200, body: { status: "ok" } });
  expect(await send("/health/readiness", {})).toMatchObject({ status: 200, body: { status: "ready" } });
});

test("its list has the models that the key may use, with prices by the token", async () => {
  const { secret } = await world.newKey({ allowed_models: ["Acme#cheap"] });
  const authorization = `Bearer ${secret}`;
  for (const path of ["/model/info", "/v1/model/info"]) {
    const { status, body } = await send(path, { authorization });
    expect([status, body]).toMatchObject([
      200,
      { data: [{ model_name: "Acme#cheap", litellm_params: { model: "Acme#cheap" } }] },
    ]);
    const listed = (await send("/v1/models/Acme%23cheap", { authorization })).body;
    expect(body).toMatchObject({
      data: [
        {
          model_info: {
            mode: "chat",
            litellm_provider: "acme",
            input_cost_per_token: Number(Object(listed.pricing).input) / 1e6,
            max_input_tokens: listed.context_window,
          },
        },
      ],
    });
  }
});

test("its way to Anthropic is Messages, and its admin API says what to use here", async () => {
  const { secret } = await world.newKey();
  const ask = { model: "Acme#cheap", max_tokens: 9, messages: [{ role: "user", content: "hi" }] };
  const headers = { authorization: `Bearer ${secret}` };
  for (const [given, type] of [
    [headers, "message"],
    [{}, "error"],
  ] as const) {
    const answer = await fetch(`${world.url}/anthropic/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", ...given },
      body: JSON.stringify(ask),
    });
    expect(await answer.json()).toMatchObject({ type });
  }
  for (const path of ["/key/info", "/user/info", "/key/generate"]) {
    const { status, body } = await send(path, headers);
    expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining("GET /v1/key")]);
  }
});

test("entries of metadata that are objects or lists are left out and named, and texts stay", async () => {
  const { secret } = await world.newKey();
  const metadata = { trace_id: "t-1", tags: ["a"], user: { id: 1 } };
  const answered = await world.chat({ ...asking("Acme#cheap"), metadata }, { secret });
  expect([answered.status, answered.headers.get("x-poundkey-dropped")]).toEqual([
    200,
    expect.stringContaining("metadata"),
  ]);
  const plain = await world.chat({ ...asking("Acme#cheap"), metadata: { tags: ["a"] } }, { secret });
  expect(plain.status).toBe(200);
  const wrong = await seen(await world.chat({ ...asking("Acme#cheap"), metadata: { a: 1 } }, { secret }));
  expect(wrong.status).toBe(400);
});
