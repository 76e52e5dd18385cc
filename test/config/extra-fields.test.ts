// Extra fields of a provider over HTTP: taken at the start and at a reload, on every operation, and named if they are left out.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../src/core/json/json.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";

const TOKEN = "admin-token-of-the-tests";

const bodies: JsonObject[] = [];
let upstream: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      bodies.push(asObject(await request.json()));
      if (request.url.endsWith("/images/generations")) return Response.json({ data: [{ b64_json: "AAAA" }] });
      const message = { role: "assistant", content: "yes" };
      return Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
    },
  });
});
afterAll(() => upstream.stop(true));

function write(extraFields: string): string {
  return `server: { port: 0, admin_token: "${TOKEN}" }
store: "sqlite:./poundkey.db"
providers:
  Local:
    base_url: "http://127.0.0.1:${upstream.port}/v1"
    extra_fields: ${extraFields}
    models: [{ name: m, operations: [chat, images] }]
`;
}

test(
  "the operator's extra fields leave, and change with the file",
  async () => {
    const place = newPlace(write("[]"));
    const serving = startServe(place);
    try {
      const url = await serving.listens();
      const post = (path: string, bearer: string, body: JsonObject) => {
        const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
        return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
      };
      const made = await post("/admin/v1/keys", TOKEN, { name: "test", requests_per_day: null });
      const secret = String(asObject(await made.json()).secret);
      /** Returns the extra fields that the server received on both operations, and the names in the header. */
      const send = async (extras: JsonObject) => {
        const messages = [{ role: "user", content: "x" }];
        const chat = await post("/v1/chat/completions", secret, { model: "Local#m", messages, ...extras });
        const images = await post("/v1/images/generations", secret, {
          model: "Local#m",
          prompt: "x",
          ...extras,
        });
        expect([chat.status, images.status]).toEqual([200, 200]);
        const received = bodies.splice(0).map((body) => Object.keys(body).filter((name) => name in extras));
        const dropped = [chat, images].map(({ headers }) => headers.get("x-poundkey-dropped") ?? "");
        return { received, dropped };
      };
      const own = { x_own: 1, "API-Base": "http://other.test" };
      const left = await send(own);
      expect(left).toEqual({ received: [[], []], dropped: ["x_own, API-Base", "x_own, API-Base"] });

      const strange = { "a\r\nset-cookie: b": 1, ["é".repeat(500)]: 1 };
      const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`made_up_${at}`, at]));
      const { dropped } = await send({ ...strange, ...many });
      for (const names of dropped) {
        expect(names.length).toBeLessThan(64 * 66);
        expect(names).toStartWith(`a??set-cookie??b, ${"?".repeat(64)}, made_up_0, `);
      }

      place.configure(write('["*"]'));
      await serving.logged("config_reloaded", 1);
      const passed = await send(own);
      expect(passed).toEqual({ received: [["x_own"], ["x_own"]], dropped: ["API-Base", "API-Base"] });
    } finally {
      serving.end();
      place.remove();
    }
  },
  LONG_MS * 2,
);
