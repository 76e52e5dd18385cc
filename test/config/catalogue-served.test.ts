// A catalogue file that changes under a running gateway: new models are served at once, a broken file changes nothing.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";

const TOKEN = "admin-token-of-the-tests";

test(
  "models of a changed catalogue file are listed without a restart",
  async () => {
    const place = newPlace(`server: { port: 0, admin_token: "${TOKEN}" }
store: "sqlite:./poundkey.db"
catalogue: newer.json
providers: { OpenAI: { keys: [any], base_url: "http://127.0.0.1:9/v1" } }`);
    const write = (...names: readonly string[]) => {
      const rows = names.map((name) => ({
        id: `OpenAI#${name}`,
        released: null,
        context: null,
        output: null,
        price: { input: 1, output: 2 },
        capabilities: [],
      }));
      writeFileSync(join(place.directory, "newer.json"), JSON.stringify(rows));
    };
    write("first");
    const serving = startServe(place);
    try {
      const url = await serving.listens();
      const send = async (path: string, bearer: string, body?: object): Promise<unknown> => {
        const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
        const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
        return (await fetch(url + path, init)).json();
      };
      const findOwn = (answer: unknown) =>
        asArray(asObject(answer).data)
          .map((model) => String(asObject(model).id))
          .filter((id) => /#(first|second)$/.test(id));
      const list = async () => findOwn(await send("/admin/v1/models", TOKEN));
      const made = await send("/admin/v1/keys", TOKEN, { name: "test", requests_per_day: null });
      const secret = String(asObject(made).secret);
      const listForKey = async () => findOwn(await send("/v1/models", secret));
      expect([await list(), await listForKey()]).toEqual([["OpenAI#first"], ["OpenAI#first"]]);
      write("first", "second");
      await serving.logged("config_reloaded", 1);
      const both = ["OpenAI#first", "OpenAI#second"];
      expect([await list(), await listForKey()]).toEqual([both, both]);
      write("second", "second");
      const [refused] = await serving.logged("config_refused", 1);
      expect(String(refused?.errors)).toContain("newer.json: ");
      expect(await list()).toEqual(["OpenAI#first", "OpenAI#second"]);
    } finally {
      serving.end();
      place.remove();
    }
  },
  LONG_MS * 2,
);
