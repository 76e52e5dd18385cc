// The lists of models in the shapes of Anthropic's and Google's APIs, page by page.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { type MoneyWorld, startMoneyWorld } from "../world/money-world.ts";

let world: MoneyWorld;
beforeAll(async () => {
  world = await startMoneyWorld();
});
afterAll(() => world.stop());

async function call(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(world.url + path, { headers: { "x-api-key": world.secret, ...headers } });
  return { status: response.status, body: asObject(await response.json()) };
}

describe("the list of models", () => {
  const anthropic = { "anthropic-version": "2023-06-01" };

  test("has Anthropic's format for its clients, in pages", async () => {
    const first = await call("/v1/models?limit=2", anthropic);
    const [one, two] = asArray(first.body.data).map(asObject);
    expect(one).toMatchObject({ type: "model", display_name: "Router#best", created_at: expect.any(String) });
    expect(first.body).toMatchObject({ has_more: true, first_id: one?.id, last_id: two?.id });
    const next = await call(`/v1/models?limit=2&after_id=${encodeURIComponent(String(two?.id))}`, anthropic);
    expect(asArray(next.body.data).map((model) => asObject(model).id)).not.toContain(two?.id);
    const back = await call(
      `/v1/models?limit=2&before_id=${encodeURIComponent(String(next.body.first_id))}`,
      anthropic,
    );
    expect(back.body.data).toEqual(first.body.data);
    expect((await call("/v1/models?limit=0", anthropic)).status).toBe(400);
    const single = await call("/v1/models/Acme%23wide", anthropic);
    expect(single.body).toMatchObject({
      type: "model",
      id: "Acme#wide",
      max_input_tokens: 200_000,
      max_tokens: 64_000,
    });
  });

  test("has Google's format below /v1beta", async () => {
    const { body } = await call("/v1beta/models?pageSize=1000");
    expect(asArray(body.models)).toContainEqual(
      expect.objectContaining({
        name: "models/Acme/wide",
        inputTokenLimit: 200_000,
        outputTokenLimit: 64_000,
      }),
    );
  });

  test("is paged below /v1beta as by Google", async () => {
    const list = async (query: string) => {
      const { status, body } = await call(`/v1beta/models${query}`);
      return { status, names: asArray(body.models).map((model) => asObject(model).name), body };
    };
    const ids = asArray((await call("/v1/models")).body.data).map((model) => asObject(model).id);
    const first = await list("");
    expect(first.names.length).toBe(50);
    expect(await list("?pageSize=0&pageToken=")).toEqual(first);
    const second = await list(`?pageSize=1&pageToken=${first.body.nextPageToken}`);
    expect(second.names).toEqual([`models/${String(ids[50]).replace("#", "/")}`]);
    const whole = await list("?pageSize=999999999");
    expect(whole.names.length).toBe(ids.length);
    expect(whole.body).not.toHaveProperty("nextPageToken");
    for (const query of ["pageSize=-1", "pageSize=ten", "pageToken=none", "pageToken=%00"]) {
      const { status, body } = await list(`?${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
      expect(asObject(body.error).message).toContain(`Invalid '${query.split("=")[0]}'`);
    }
  });
});
