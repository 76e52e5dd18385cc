// Files by URL: the gateway never fetches them, so they only go where the provider does.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { encoded } from "../../dialects/cases/drive.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readId } from "../../providers/target.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";

const WEB = "https://files.example/a.pdf";
const DATA = "data:application/pdf;base64,QUJDRA==";
const GPT = "OpenAI#gpt-5.4";
const PLAIN = "Local#sim-mini";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({
    more: () =>
      `aliases: { reading: [{ model: "${PLAIN}", weight: 1000 }, { model: "${GPT}", weight: 0.001 }] }`,
  });
});
afterAll(() => world.stop());

const file = (url: string) => ({ type: "file", file: { file_data: url, filename: "a.pdf" } });
const document = (url: string) => ({ type: "document", source: { type: "url", url } });
const asked = (part: JsonObject) => ({ role: "user", content: [{ type: "text", text: "say: ok" }, part] });

async function chat(model: string, ...messages: readonly JsonObject[]): Promise<Seen> {
  return seen(await world.chat({ model, messages }));
}

function post(path: string, body: JsonObject): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${world.secret}` };
  return fetch(world.url + path, { method: "POST", headers, body: JSON.stringify(body) });
}

const readSent = () => JSON.stringify(world.simulator.calls.last()?.body);

describe("a file by URL", () => {
  test("goes to OpenAI's Responses API as its address, from every surface", async () => {
    const line = `{"type":"input_file","file_url":"${WEB}"}`;
    expect((await chat(GPT, asked(file(WEB)))).status).toBe(200);
    expect(readSent()).toContain(line);
    const messages = [asked(document(WEB))];
    expect((await post("/v1/messages", { model: GPT, max_tokens: 50, messages })).status).toBe(200);
    expect(readSent()).toContain(line);
    const parts = [{ text: "say: ok" }, { fileData: { fileUri: WEB, mimeType: "application/pdf" } }];
    const contents = [{ role: "user", parts }];
    const path = `/v1beta/models/${encodeURIComponent(GPT)}:generateContent`;
    expect((await post(path, { contents })).status).toBe(200);
    expect(readSent()).toContain(line);
  });

  test("stays a file at the chat API as data", async () => {
    expect((await chat(GPT, asked(file(DATA)))).status).toBe(200);
    expect(readSent()).toContain(`"file_data":"${DATA}"`);
    expect(readSent()).toContain('"messages"');
  });

  test("is refused for a chat server, before any call, by the client's own field", async () => {
    const before = world.simulator.calls.total;
    const answer = await chat(PLAIN, asked(file(WEB)));
    expect(formatLine(answer)).toBe("400 invalid_request_error unsupported_capability");
    expect(answer.error?.param).toBe("messages[0].content[1]");
    expect(answer.error?.message).toStartWith(
      `The model '${PLAIN}' does not accept file URLs: send files as data: URLs. Models that accept it: `,
    );
    const content = [{ type: "input_file", file_url: WEB }];
    const response = await post("/v1/responses", { model: PLAIN, input: [{ role: "user", content }] });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("does not accept file URLs");
    expect(world.simulator.calls.total).toBe(before);
    expect((await chat(PLAIN, asked(file(DATA)))).status).toBe(200);
  });

  test("is left out of an earlier turn and of a tool's result there", async () => {
    const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
    const answer = await chat(
      PLAIN,
      asked(file(WEB)),
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: [file(WEB)] },
      { role: "user", content: "say: ok" },
    );
    expect([answer.status, answer.headers.get("x-poundkey-dropped")]).toEqual([200, "messages.file"]);
    expect(readSent().split("[file left out: this model takes no file URLs]")).toHaveLength(3);
    expect(readSent()).not.toContain(WEB);
  });

  test("goes to the members of a group that fetch it", async () => {
    for (let at = 0; at < 3; at++) {
      expect((await chat("reading", asked(file(WEB)))).headers.get("x-poundkey-model")).toBe(GPT);
    }
  });

  test("passes to OpenRouter, which fetches it, and to Claude and Gemini", () => {
    const send = (id: string) => {
      const { dialect, card } = readId(id);
      return JSON.stringify(
        encoded(
          dialect,
          { messages: [{ role: "user", content: [{ type: "file", file: { file_data: WEB } }] }] },
          card,
        ).body,
      );
    };
    expect(send("OpenRouter#any/model")).toContain(`"file_data":"${WEB}"`);
    expect(send("Anthropic#claude-sonnet-4-5")).toContain(`"source":{"type":"url","url":"${WEB}"}`);
    expect(send("Google#gemini-3.5-flash")).toContain(`"fileUri":"${WEB}"`);
  });
});
