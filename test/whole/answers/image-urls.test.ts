// Images by URL: the gateway never fetches them, so they only go to models whose providers do.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";

const WEB = "https://images.example/cat.png";
const DATA = "data:image/png;base64,iVBORw0KGgo=";
const KIMI = "Moonshot#kimi-k2.6";
const GPT = "OpenAI#gpt-5.4";
const NOBODY = "No model with a known price that this key may use accepts this request.";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({
    more: (url) => `  Moonshot: { keys: ["sim-key"], base_url: "${url}/openai/v1" }
  Plain:
    dialect: openai
    keys: [sim-key]
    base_url: "${url}/openai/v1"
    models:
      - { name: unpriced, context: 8192, output: 1024, capabilities: [vision] }
      - { name: short, context: 2048, output: 1024, capabilities: [vision], price: { input: 1, output: 1 } }
aliases:
  seeing: [{ model: "${KIMI}", weight: 1000 }, { model: "${GPT}", weight: 0.001 }]
  kimis: [{ model: "${KIMI}" }, { model: "Moonshot#kimi-k3" }]
models: { "${GPT}": { fallbacks: ["${KIMI}"] }, "OpenAI#gpt-5.1": { fallbacks: ["${KIMI}"] } }`,
  });
});
afterAll(() => world.stop());

const picture = (model: string, url: string, more: object = {}) => ({
  model,
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "say: a cat" },
        { type: "image_url", image_url: { url } },
      ],
    },
  ],
  ...more,
});

async function ask(model: string, url: string, secret = world.secret): Promise<Seen> {
  return seen(await world.chat(picture(model, url), { secret }));
}

const usedBy = ({ headers }: Seen) => headers.get("x-poundkey-model") ?? "-";

describe("an image by URL", () => {
  test("is refused for a model that takes none, naming models that do, before any call", async () => {
    const before = world.simulator.calls.total;
    const answer = await ask(KIMI, WEB);
    expect(formatLine(answer)).toBe("400 invalid_request_error unsupported_capability");
    expect(answer.error?.param).toBe("messages[0].content[1]");
    expect(answer.error?.message).toMatch(
      /^The model 'Moonshot#kimi-k2\.6' does not accept image URLs: send images as data: URLs\. Models that accept it: '[^']+', '[^']+', '[^']+'\.$/,
    );
    expect(String(answer.error?.message).slice(60)).not.toContain("Moonshot");
    expect(world.simulator.calls.total).toBe(before);
  });

  test("only leads to suggestions that the key may use", async () => {
    const { secret } = await world.newKey({ requests_per_day: null, allowed_models: [KIMI, GPT] });
    expect((await ask(KIMI, WEB, secret)).error?.message).toEndWith(`Models that accept it: '${GPT}'.`);
    const alone = await world.newKey({ requests_per_day: null, allowed_models: [KIMI] });
    expect((await ask(KIMI, WEB, alone.secret)).error?.message).toEndWith(
      `send images as data: URLs. ${NOBODY}`,
    );
  });

  test("leads to no model without a price, and to none that is too small", async () => {
    const own = [KIMI, "Plain#unpriced", "Plain#short"];
    const { secret } = await world.newKey({ requests_per_day: null, allowed_models: own });
    expect((await ask(KIMI, WEB, secret)).error?.message).toEndWith("Models that accept it: 'Plain#short'.");
    const [asked] = picture(KIMI, WEB).messages;
    const long = { role: "user", content: "word ".repeat(3000) };
    const answer = await seen(await world.chat({ model: KIMI, messages: [long, asked] }, { secret }));
    expect(answer.error?.message).toEndWith(NOBODY);
  });

  test("is left out of an earlier turn, for a model that takes none", async () => {
    const messages = [
      ...picture(KIMI, WEB).messages,
      { role: "assistant", content: "a cat" },
      { role: "user", content: "say: ok" },
    ];
    const answer = await world.chat({ model: KIMI, messages });
    expect([answer.status, answer.headers.get("x-poundkey-dropped")]).toEqual([200, "messages.image_url"]);
    const sent = JSON.stringify(world.simulator.calls.last()?.body);
    expect(sent).toContain("[image left out: this model takes no image URLs]");
    expect(sent).not.toContain(WEB);
  });

  test("is accepted as data by the same model", async () => {
    const answer = await ask(KIMI, DATA);
    expect([answer.status, usedBy(answer)]).toEqual([200, KIMI]);
  });

  test("goes to the members of a group that support it", async () => {
    for (let at = 0; at < 5; at++) expect(usedBy(await ask("seeing", WEB))).toBe(GPT);
    expect(usedBy(await ask("seeing", DATA))).toBe(KIMI);
    expect(formatLine(await ask("kimis", WEB))).toContain("unsupported_capability");
  });

  test("excludes a selector's candidates without support, with that reason", async () => {
    const { secret } = await world.newKey({
      requests_per_day: null,
      allowed_models: ["Router#best", KIMI, GPT],
    });
    for (let at = 0; at < 3; at++) expect(usedBy(await ask("Router#best", WEB, secret))).toBe(GPT);
    const headers = { "content-type": "application/json", authorization: `Bearer ${secret}` };
    const init = { method: "POST", headers, body: JSON.stringify(picture("Router#best", WEB)) };
    const { candidates } = asObject(await (await fetch(`${world.url}/v1/route`, init)).json());
    const kimi = asArray(candidates).find((one) => asObject(one).model === KIMI);
    expect(kimi).toMatchObject({ eligible: false, removed_by: "image_urls" });
    const only = await world.newKey({ requests_per_day: null, allowed_models: ["Router#best", KIMI] });
    expect(formatLine(await ask("Router#best", WEB, only.secret))).toBe(
      "400 invalid_request_error unsupported_capability",
    );
  });

  test("is refused on the other surfaces in their own format", async () => {
    const source = { type: "url", url: WEB };
    const content = [{ type: "image", source }];
    const response = await fetch(`${world.url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": world.secret },
      body: JSON.stringify({ model: KIMI, max_tokens: 10, messages: [{ role: "user", content }] }),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("does not accept image URLs");
  });
});
