// A credential that its provider refused: disabled at once, tried again after a configuration change, logged and shown.
import { expect, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";
import { startSimulator } from "../simulator/server.ts";
import { until } from "../whole/world/until.ts";

const ADMIN_TOKEN = "admin-token-of-the-tests";
const BAD = "bad-key";

test(
  "a rejected credential is tried again after the configuration has changed",
  async () => {
    const simulator = await startSimulator({ port: 0 });
    const yaml = `server: { admin_token: "${ADMIN_TOKEN}" }
store: "sqlite:./poundkey.db"
providers:
  Pair: { dialect: openai, keys: [${BAD}, a-key-that-works], base_url: "${simulator.url}/openai/v1", unlisted_models: true }`;
    const place = newPlace(yaml);
    const serving = startServe(place, "--port", "0");
    const asked = () =>
      simulator.calls.all().filter(({ headers }) => headers.authorization === `Bearer ${BAD}`).length;
    try {
      const url = await serving.listens();
      const send = (path: string, bearer: string, body?: object) =>
        fetch(url + path, {
          method: body ? "POST" : "GET",
          headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
      const made = await send("/admin/v1/keys", ADMIN_TOKEN, { name: "test", requests_per_day: null });
      const secret = String(asObject(await made.json()).secret);
      const chat = async () => {
        const messages = [{ role: "user", content: "hi" }];
        // Each user has an order of their own.
        const body = { model: "Pair#sim-mini", messages, user: crypto.randomUUID() };
        expect((await send("/v1/chat/completions", secret, body)).status).toBe(200);
      };
      const state = async () => {
        const { data } = asObject(await (await send("/admin/v1/providers", ADMIN_TOKEN)).json());
        return asObject(asArray(asObject(asArray(data)[0]).credentials)[0]).state;
      };
      const askedTimes = (times: number) =>
        until(`it was asked ${times} times`, async () => {
          await chat();
          return asked() === times;
        });
      await askedTimes(1);
      for (let at = 0; at < 10; at++) await chat();
      expect([asked(), await state()]).toEqual([1, "retired"]);
      expect(await serving.logged("credential_retired", 1)).toMatchObject([
        { level: "error", provider: "Pair", upstream_status: 401 },
      ]);
      expect(serving.out).not.toContain(BAD);
      place.configure(`${yaml}\naliases: { small: "Pair#sim-mini" }`);
      await serving.logged("config_reloaded", 1);
      expect(await state()).toBe("active");
      await askedTimes(2);
    } finally {
      serving.end();
      place.remove();
      await simulator.stop();
    }
  },
  LONG_MS * 2,
);
