// A gateway of two workers takes a list of thousands of rows under requests: one process looks, all follow, and each request has
// the price of one of the two catalogues.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { asObject } from "../../../src/core/json/json.ts";
import { ROW } from "../../cli/catalogue-run.ts";
import { IS_LONG } from "../../harness/long.ts";
import { LONG_MS, newPlace, startServe } from "../../harness/serve-process.ts";
import { serveHttp } from "../../whole/world/serve.ts";
import { CHANGED, KEY, makeList, PUBLIC, sign } from "./watch-world.ts";

const TOKEN = "admin-token-of-the-tests";
const ROWS = 5000;
const USAGE = { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 };
/** 2.5 and 15 USD per million tokens before, 3 and 18 after. */
const COSTS = [17_500_000, 21_000_000];

async function startProvider() {
  return await serveHttp((_request, response) => {
    const message = { role: "assistant", content: "Hi" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ id: "a", object: "chat.completion", created: 1, model: "m", choices, usage: USAGE }),
    );
  });
}

test.if(IS_LONG)(
  "no request is priced by a mixture",
  async () => {
    const provider = await startProvider();
    const watch = { from: "list.json", keys: [PUBLIC], take: "safe" };
    const place = newPlace(
      JSON.stringify({
        server: { admin_token: TOKEN },
        store: "sqlite:./poundkey.db",
        providers: { OpenAI: { keys: ["sk-test"], base_url: provider.url } },
        catalogue: { file: "./catalogue.json", watch },
      }),
    );
    const serving = startServe(place, "--workers", "2", "--port", "0");
    try {
      const url = await serving.listens();
      await serving.logged("worker_listens", 2);
      await serving.logged("catalogue_refused", 1);
      const ask = (path: string, bearer: string, body?: object) =>
        fetch(`${url}${path}`, {
          headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
          keepalive: false,
          ...(body && { method: "POST", body: JSON.stringify(body) }),
        });
      const made = await ask("/admin/v1/keys", TOKEN, { name: "test", requests_per_day: null });
      const secret = String(asObject(await made.json()).secret);
      let isEnded = false;
      const statuses: number[] = [];
      const send = async () => {
        while (!isEnded) {
          const body = { model: CHANGED, messages: [{ role: "user", content: "Hi" }], max_tokens: 1000 };
          statuses.push((await ask("/v1/chat/completions", secret, body)).status);
        }
      };
      const sending = [send(), send(), send(), send()];
      const { models } = JSON.parse(makeList(118));
      const more = Array.from({ length: ROWS }, (_, at) => ({ ...ROW, id: `OpenAI#row-${at}` }));
      const list = makeList(118, { models: [...models, ...more] });
      writeFileSync(join(place.directory, "list.json.sig"), sign(list));
      writeFileSync(join(place.directory, "list.json"), list);
      await serving.logged("catalogue_updated", 2);
      const before = statuses.length;
      while (statuses.length < before + 20) await Bun.sleep(10);
      isEnded = true;
      await Promise.all(sending);
      expect(new Set(statuses)).toEqual(new Set([200]));
      const database = new Database(join(place.directory, "poundkey.db"), { readonly: true });
      const rows = database.query("SELECT DISTINCT cost_nano FROM request").all();
      database.close();
      expect(rows.map((row) => Number(asObject(row).cost_nano)).toSorted()).toEqual(COSTS);
      for (let times = 0; times < 10; times += 1) {
        const review = asObject(await (await ask("/admin/v1/catalogue", TOKEN)).json());
        expect(asObject(review.list)).toMatchObject({ serial: 118, key: KEY });
      }
      const looks = serving.events("catalogue_compared");
      expect(new Set(looks.map(({ worker }) => worker)).size).toBe(1);
    } finally {
      serving.end();
      place.remove();
      await provider.stop();
    }
  },
  LONG_MS * 3,
);
