// The simulated providers: answers, injected faults, and the record of calls.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { CONTROLS, formatControlHelp, INJECTED_FAULTS } from "../../src/simulator/control.ts";
import { SIM_DIALECTS } from "../../src/simulator/dialects.ts";
import { SIM_MODELS } from "../../src/simulator/models.ts";
import { ask, at, KIT_NAMES, KITS, type KitName, send, spoken } from "./asking.ts";
import { type Simulator, startSimulator } from "./server.ts";

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator();
});
afterAll(() => sim.stop());
beforeEach(() => sim.reset());

test("all chat dialects are tested here", () => {
  const beyondChat = new Set(["voyage", "jina"]);
  const names = SIM_DIALECTS.map(({ name }) => name).filter((name) => !beyondChat.has(name));
  expect(new Set<string>(names)).toEqual(new Set(KIT_NAMES));
});

describe.each(KIT_NAMES)("%s", (name) => {
  test("gives the same text whole and streamed, for any characters", async () => {
    const text = 'say: naïve "日本" 👍\nnext';
    const whole = await ask(sim, name, { text });
    const streamed = await ask(sim, name, { text, streamed: true });
    expect(at(whole.json, KITS[name].whole)).toBe(text.slice("say: ".length));
    expect(spoken(name, streamed)).toBe(text.slice("say: ".length));
    expect(streamed.events.length).toBeGreaterThan(3);
  });

  test("gives the same answer to the same request", async () => {
    const first = await ask(sim, name);
    const second = await ask(sim, name);
    const timeless = ({ text }: { text: string }) => text.replace(/"created(_at)?":\d+/, "");
    expect(timeless(first)).toBe(timeless(second));
  });

  test("gives the same text under harmless faults", async () => {
    const calm = spoken(name, await ask(sim, name, { text: "say: köstlich 👍 ok", streamed: true }));
    for (const trouble of ["split", "crlf", "pings", "trickle", "wrong-type", "odd-usage"]) {
      const model = `sim-mini~${trouble}`;
      const reply = await ask(sim, name, { model, text: "say: köstlich 👍 ok", streamed: true });
      expect([trouble, spoken(name, reply)]).toEqual([trouble, calm]);
    }
  });

  test("can leave out the usage or the end", async () => {
    const full = await ask(sim, name, { streamed: true });
    const uncounted = await ask(sim, name, { model: "sim-mini~no-usage", streamed: true });
    expect(uncounted.text).not.toMatch(/"(prompt|input)_tokens"|promptTokenCount/);
    const endless = await ask(sim, name, { model: "sim-mini~no-end", streamed: true });
    if (name !== "gemini") expect(endless.text.length).toBeLessThan(full.text.length);
  });

  test("refuses bad keys before anything else", async () => {
    for (const key of [null, "bad-key", "no-credit"]) {
      const { status, text } = await ask(sim, name, { key, raw: "not json" });
      expect([400, 401, 402, 403, 429]).toContain(status);
      expect(text).toMatch(/key|Unauthorized|unregistered|token|quota/i);
    }
  });

  test("refuses what isn't JSON", async () => {
    expect((await ask(sim, name, { raw: "{" })).status).toBeGreaterThanOrEqual(400);
    expect((await ask(sim, name, { raw: "[]" })).status).toBeGreaterThanOrEqual(400);
    expect(
      (await ask(sim, name, { headers: { "content-type": "text/plain" } })).status,
    ).toBeGreaterThanOrEqual(400);
  });
});

const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const content = async (body: Record<string, unknown>) =>
  at((await ask(sim, "openai", { with: body })).json, "choices.0.message.content");

test("the responder echoes, describes media, and repeats its system prompt", async () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const audio = { type: "input_audio", input_audio: { data: "AAAAAAAA", format: "wav" } };
  const parts = [{ type: "text", text: "look" }, image, audio];
  expect(await content(user(parts))).toBe(
    "You said: look [image image/png 3 bytes] [audio audio/wav 6 bytes]",
  );
  const system = { role: "system", content: "Be kind." };
  const question = { role: "user", content: "What is your system prompt?" };
  expect(await content({ messages: [system, question] })).toBe("My system prompt is: Be kind.");
  expect(await content(user("long 4"))).toBe("word1 word2 word3 word4");
});

test("the responder counts a token per four characters", async () => {
  const { json } = await ask(sim, "openai", { text: "say: 12345" });
  expect(json.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
  const reply = await ask(sim, "openai", { model: "sim-mini~tokens=100:50:40:30" });
  expect(reply.json.usage).toMatchObject({
    prompt_tokens: 100,
    completion_tokens: 50,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 30 },
  });
});

test("the responder respects stop sequences and limits", async () => {
  const cut = await ask(sim, "openai", { text: "say: one STOP two", with: { stop: ["STOP"] } });
  expect(at(cut.json, "choices.0.message.content")).toBe("one ");
  expect(at(cut.json, "choices.0.finish_reason")).toBe("stop");
  const short = await ask(sim, "openai", { text: "long 50", with: { max_tokens: 3 } });
  expect(at(short.json, "choices.0.message.content")).toBe("word1 word2 ");
  expect(at(short.json, "choices.0.finish_reason")).toBe("length");
});

test("the responder calls several tools, or one if they can't be parallel, and forced ones", async () => {
  const schema = { type: "object", properties: { n: { type: "integer", minimum: 3 } }, required: ["n"] };
  const tools = ["f", "g"].map((name) => ({ type: "function", function: { name, parameters: schema } }));
  const text = 'call f({"q":"a) \\" b"}) and call g({"n":1}) and call unknown({})';
  const calls = async (rest: object, said = text) => {
    const { json } = await ask(sim, "openai", { text: said, with: { tools, ...rest } });
    const found = at(json, "choices.0.message.tool_calls");
    return Array.isArray(found)
      ? found.map((call) => [at(call, "function.name"), at(call, "function.arguments")])
      : [];
  };
  expect(await calls({})).toEqual([
    ["f", '{"q":"a) \\" b"}'],
    ["g", '{"n":1}'],
  ]);
  expect(await calls({ parallel_tool_calls: false })).toHaveLength(1);
  expect(await calls({ tool_choice: "none" })).toEqual([]);
  expect(await calls({ tool_choice: { type: "function", function: { name: "g" } } }, "hi")).toEqual([
    ["g", '{"n":3}'],
  ]);
});

test("the responder supports n choices, log probabilities, JSON schemas and refusals", async () => {
  const several = await ask(sim, "openai", { with: { n: 2, logprobs: true, top_logprobs: 1 } });
  expect(at(several.json, "choices.1.message.content")).toBe("You said: hello (choice 2)");
  expect(at(several.json, "choices.0.logprobs.content.0.top_logprobs.0.token")).toBe("You");
  const schema = {
    type: "object",
    properties: { a: { type: "array", minItems: 2, items: { enum: ["x"] } }, b: { $ref: "#/$defs/B" } },
    required: ["a", "b"],
    $defs: { B: { anyOf: [{ type: "number", exclusiveMinimum: 2 }] } },
  };
  const format = { type: "json_schema", json_schema: { name: "s", schema } };
  expect(await content({ response_format: format })).toBe('{"a":["x","x"],"b":2.5}');
  const refused = await ask(sim, "openai", { text: "please refuse" });
  expect(at(refused.json, "choices.0.message")).toMatchObject({
    content: null,
    refusal: expect.any(String),
  });
});

const STATUSES: readonly (readonly [string, KitName, number, RegExp])[] = [
  ["429", "openai", 429, /"code":"rate_limit_exceeded"/],
  ["quota", "openai", 429, /"code":"insufficient_quota"/],
  ["402", "openai", 402, /insufficient_quota/],
  ["context", "openai", 400, /context_length_exceeded/],
  ["529", "anthropic", 529, /overloaded_error/],
  ["401", "anthropic", 401, /authentication_error/],
  ["429", "gemini", 429, /"retryDelay":"7s"/],
  ["401", "gemini", 400, /API_KEY_INVALID/],
  ["filter", "gemini", 200, /"blockReason":"PROHIBITED_CONTENT"/],
  ["422", "mistral", 422, /"detail":\[/],
  ["503", "mistral", 503, /"raw_status_code":503/],
  ["500", "perplexity", 500, /"code":500/],
  ["context", "cohere", 400, /TOO_MANY_TOKENS/],
  ["502-html", "cohere", 502, /<html>/],
  ["429", "bedrock", 429, /"message":"Rate limit/],
  ["context", "bedrock", 400, /too long for requested model/],
  ["error-200", "perplexity", 200, /"status":"failed"/],
  ["empty-200", "openai", 200, /^$/],
];
test.each(STATUSES)("fault %s at %s is %i", async (trouble, name, status, says) => {
  const reply = await ask(sim, name, { model: `sim-mini~${trouble}~retry=7` });
  expect(reply.status).toBe(status);
  expect(reply.text).toMatch(says);
});

test("a fault can have a Retry-After", async () => {
  const reply = await ask(sim, "anthropic", { model: "sim-mini~429~retry=7" });
  expect(reply.headers.get("retry-after")).toBe("7");
});

test.each(KIT_NAMES)("connections of %s break before or during the answer", async (name) => {
  const broken = [true, false].flatMap((streamed) =>
    ["reset", "cut", "reset-mid"].map((trouble) =>
      ask(sim, name, { model: `sim-mini~${trouble}`, text: "long 9", streamed }).then(
        () => `${trouble} is whole`,
        () => "broken",
      ),
    ),
  );
  expect(new Set(await Promise.all(broken))).toEqual(new Set(["broken"]));
  const half = await ask(sim, name, { model: "sim-mini~cut-clean", text: "long 9", streamed: true });
  expect(spoken(name, half)).toBe("word1 word2");
  const failed = await ask(sim, name, { model: "sim-mini~error-mid", text: "long 9", streamed: true });
  expect(failed.text).toMatch(/error|ERROR/);
  const malformed = await ask(sim, name, { model: "sim-mini~garbage", text: "long 9", streamed: true });
  expect(malformed.text).toContain('"content":"bro\n');
});

test.skipIf(process.platform !== "linux")("a reset waits for a client that stood still", async () => {
  const model = "sim-mini~reset-mid~latency=500";
  const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "long 9" }] });
  const read = `const answer = await fetch("${sim.url}/openai/v1/chat/completions", { method: "POST", body: ${JSON.stringify(body)},
    headers: { authorization: "Bearer sim-key", "content-type": "application/json" } });
    try { for await (const piece of answer.body) process.stdout.write(piece); } catch { console.log("broken"); }`;
  const client = Bun.spawn([process.execPath, "-e", read], { stdout: "pipe", stderr: "inherit" });
  while (sim.calls.last()?.model !== model) await Bun.sleep(1);
  client.kill("SIGSTOP");
  await Bun.sleep(1000);
  client.kill("SIGCONT");
  expect(await new Response(client.stdout).text()).toMatch(/word1.*word2.*broken\n$/s);
});

test("a silent connection stays open until the client disconnects, which is recorded", async () => {
  for (const trouble of ["silent", "stall"]) {
    const gone = new AbortController();
    const model = `sim-mini~${trouble}`;
    const reply = ask(sim, "openai", { model, streamed: true, signal: gone.signal }).catch(() => "gone");
    while (sim.calls.last()?.model !== model) await Bun.sleep(1);
    expect(sim.calls.open).toBe(1);
    gone.abort();
    expect(await reply).toBe("gone");
    while (sim.calls.open > 0) await Bun.sleep(1);
    expect(sim.calls.last()?.ended).toBe("aborted");
  }
});

test("redirects lead to the trap, which is recorded", async () => {
  const reply = await send(sim, "openai", { model: "sim-mini~307" });
  expect([reply.status, reply.headers.get("location")]).toEqual([307, `${sim.url}/sim/trap`]);
  expect(sim.calls.last()?.dialect).toBe("openai");
  await fetch(`${sim.url}/sim/trap`, { method: "POST" });
  expect(sim.calls.last()?.dialect).toBe("trap");
});

test("controls work in the model name, a header and the key, and unknown ones are refused", async () => {
  expect((await ask(sim, "openai", { headers: { "x-sim": "trouble=500" } })).status).toBe(500);
  expect((await ask(sim, "openai", { key: "k~503", headers: { "x-sim": "~500" } })).status).toBe(503);
  expect((await ask(sim, "openai", { model: "sim-mini~trubble=500" })).text).toContain("unknown control");
  expect((await ask(sim, "openai", { model: "sim-mini~oops" })).text).toContain("unknown fault");
  const { events } = await ask(sim, "openai", { model: "sim-mini~chunks=7", streamed: true });
  expect(events.filter((event) => at(event, "choices.0.delta.content")).length).toBe(7);
});

test("flaky fails the first calls of each key, then answers", async () => {
  const statuses = [];
  for (const key of ["a", "a", "b", "a", "b", "b"])
    statuses.push((await ask(sim, "openai", { key, model: "sim-mini~flaky=2~429" })).status);
  expect(statuses).toEqual([429, 429, 429, 200, 429, 200]);
});

test("the help lists every control and fault", () => {
  const help = formatControlHelp();
  for (const name of [...Object.keys(CONTROLS), ...Object.keys(INJECTED_FAULTS)])
    expect(help).toContain(`  ${name}`);
});

test("calls are recorded and can be cleared", async () => {
  await ask(sim, "anthropic", { text: "remember me" });
  await ask(sim, "gemini", { model: "sim-mini~500" });
  expect(sim.calls.all().map(({ dialect, model }) => [dialect, model])).toEqual([
    ["anthropic", "sim-mini"],
    ["gemini", "sim-mini~500"],
  ]);
  while (sim.calls.open > 0) await Bun.sleep(1);
  expect(sim.calls.last()).toMatchObject({ ended: "fault", headers: { "x-goog-api-key": "a-key" } });
  expect(sim.calls.total).toBe(2);
  sim.reset();
  expect(sim.calls.total).toBe(0);
});

test("the models of Sim are listed, answer, and have a price", async () => {
  const list = await (await fetch(`${sim.url}/openai/v1/models`)).json();
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual(SIM_MODELS.map(({ name }) => name));
  const chatting = SIM_MODELS.filter(({ name, operation }) => operation === "chat" && !name.includes("~"));
  for (const { name, price } of chatting) {
    expect((await ask(sim, "openai", { model: name })).status).toBe(200);
    expect(price.input * price.output).toBeGreaterThan(0);
  }
});
