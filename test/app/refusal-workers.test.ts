// Lessons on refusals in two workers on one SQLite file, and after a restart: each knows them from its first request.
import { expect, test } from "bun:test";
import { asObject, asString } from "../../src/core/json/json.ts";
import { IS_LONG } from "../harness/long.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";
import { answerGuarded } from "../whole/world/guarded-upstream.ts";
import { serveHttp } from "../whole/world/serve.ts";
import { until } from "../whole/world/until.ts";

const ADMIN_TOKEN = "admin-token-of-the-tests";
const LATE = [
  { role: "user", content: "Hello." },
  { role: "system", content: "It is noon." },
  { role: "user", content: "say: good day" },
];
const ASKED = 16;

/** Sends on a separate connection, so that any worker may accept it. */
async function post(url: string, bearer: string, body: object) {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body), keepalive: false };
  const response = await fetch(url, init);
  return { status: response.status, body: asObject(await response.json()) };
}

test.skipIf(!IS_LONG)(
  "two accounts teach both workers, and those that start later",
  async () => {
    let calls = 0;
    const upstream = await serveHttp((request, response) => {
      calls++;
      return answerGuarded(request, response);
    });
    const place = newPlace(`server: { admin_token: "${ADMIN_TOKEN}" }
store: "sqlite:./poundkey.db"
providers:
  Own: { dialect: openai, base_url: "${upstream.url}", models: [{ name: m, price: { input: 0, output: 0 } }] }`);
    const start = async () => {
      const serving = startServe(place, "--workers", "2", "--port", "0");
      const url = await serving.listens();
      await serving.logged("worker_listens", 2);
      return { serving, url };
    };
    const count = async (url: string, secret: string) => {
      const before = calls;
      const asked = await post(`${url}/v1/chat/completions`, secret, { model: "Own#m", messages: LATE });
      expect(asked.status).toBe(200);
      return calls - before;
    };
    const first = await start();
    const begun = [first.serving];
    try {
      const secrets: string[] = [];
      for (const name of ["ann", "ben", "cat"]) {
        const account = await post(`${first.url}/admin/v1/accounts`, ADMIN_TOKEN, { name });
        const fields = { name, account_id: account.body.id, requests_per_day: null };
        const key = await post(`${first.url}/admin/v1/keys`, ADMIN_TOKEN, fields);
        secrets.push(asString(key.body.secret) ?? "");
      }
      const [ann = "", ben = "", cat = ""] = secrets;
      expect([await count(first.url, ann), await count(first.url, ben)]).toEqual([2, 2]);
      const askMany = async (url: string) => {
        const counts: number[] = [];
        for (let at = 0; at < ASKED; at++) counts.push(await count(url, ann));
        return counts.every((one) => one === 1);
      };
      await until("both workers know it", () => askMany(first.url), LONG_MS);
      first.serving.signal("SIGTERM");
      expect(await first.serving.exited).toBe(0);
      const second = await start();
      begun.push(second.serving);
      for (let at = 0; at < ASKED; at++) expect(await count(second.url, cat)).toBe(1);
      second.serving.signal("SIGTERM");
      expect(await second.serving.exited).toBe(0);
    } finally {
      for (const serving of begun) serving.end();
      place.remove();
      await upstream.stop();
    }
  },
  LONG_MS,
);
