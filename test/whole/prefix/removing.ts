// A gateway before providers that leave thinking out of the history or refuse it, and what row, header and metric say of it.
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator } from "../world/operator.ts";

const HI = [{ role: "user", content: "say: hi" }];
const SURFACES = {
  chat: { path: "/v1/chat/completions", body: { messages: HI } },
  messages: { path: "/v1/messages", body: { messages: HI, max_tokens: 500 } },
  responses: { path: "/v1/responses", body: { input: HI } },
  gemini: {
    path: "/v1beta/models/MODEL",
    body: { contents: [{ role: "user", parts: [{ text: "say: hi" }] }] },
  },
} as const;
export type SurfaceWord = keyof typeof SURFACES;

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly header: string | null;
  readonly row: JsonObject;
}

export class Removing {
  readonly world: UnderTest;
  /** Changes a provider's whole answer on its way. */
  distort: ((body: JsonObject) => JsonObject) | null = null;
  /** Returns the words by which the provider refuses a request. Null if it takes it. */
  refuse: (body: JsonObject) => string | null = () => null;

  constructor(world: UnderTest) {
    this.world = world;
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  async fetch(...[url, init]: Parameters<Fetch>): Promise<Response> {
    const request = new Request(url, init);
    const message = this.refuse(asObject(parseJson(await request.clone().text())));
    if (message !== null) {
      const error = { type: "invalid_request_error", message };
      return Response.json({ type: "error", error }, { status: 400 });
    }
    const answer = await fetch(request);
    return this.distort === null ? answer : Response.json(this.distort(asObject(await answer.json())));
  }

  async ask(surface: SurfaceWord, model: string, stream = false, more: JsonObject = {}): Promise<Answered> {
    const { path, body } = SURFACES[surface];
    const verb = stream ? ":streamGenerateContent?alt=sse" : ":generateContent";
    const about = surface === "gemini" ? {} : { model, stream };
    const way = surface === "gemini" ? path.replace("MODEL", encodeURIComponent(model)) + verb : path;
    const answer = await fetch(this.world.url + way, {
      method: "POST",
      headers: { authorization: `Bearer ${this.world.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ ...about, ...body, ...more }),
    });
    const text = await answer.text();
    const id = answer.headers.get("x-request-id");
    const { body: list } = await createOperator(this.world).get(`/requests?q=${id}`);
    const row = asArray(list.data)
      .map(asObject)
      .find(({ request_id }) => request_id === id);
    const header = answer.headers.get("x-poundkey-reasoning-removed");
    return { status: answer.status, text, header, row: asObject(row) };
  }

  /** Returns the number of requests that the metric counts for a reason. */
  async countMetric(reason: string): Promise<number> {
    const metrics = await (await fetch(`${this.world.url}/metrics`)).text();
    const lines = metrics.split("\n").filter((line) => line.startsWith("poundkey_reasoning_removed_total{"));
    const own = lines.filter((line) => line.includes(`reason="${reason}"`));
    return own.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }
}

export async function startRemoving(): Promise<Removing> {
  let removing: Removing | null = null;
  const world = await startUnderTest({
    fetch: (url, init) => removing?.fetch(url, init) ?? fetch(url, init),
    more: (url) => {
      const at = (dialect: string, path: string) =>
        `{ dialect: ${dialect}, base_url: "${url}${path}", keys: [sim-key], unlisted_models: true }`;
      return `  Claude: ${at("anthropic", "/anthropic/v1")}\n  Answers: ${at("responses", "/openai/v1")}`;
    },
  });
  removing = new Removing(world);
  return removing;
}
