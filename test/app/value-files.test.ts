// Secrets in files that rotate while the gateway runs: a file that a volume swaps is read by itself, and one that is missing
// or empty for a moment changes nothing.
import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asObject } from "../../src/core/json/json.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";
import { startSimulator } from "../simulator/server.ts";
import { until } from "../whole/world/until.ts";

const ADMIN_TOKEN = "admin-token-of-the-tests";

/** As Kubernetes does: the files stand in a folder of their own, to which a link leads that is replaced at once. */
function swapVolume(directory: string, version: string, secret: string): void {
  mkdirSync(join(directory, version));
  writeFileSync(join(directory, version, "key"), `${secret}\n`);
  symlinkSync(version, join(directory, "..next"));
  renameSync(join(directory, "..next"), join(directory, "..data"));
}

test(
  "a rotated secret is used without a signal, and a lost one is kept with a warning",
  async () => {
    const simulator = await startSimulator({ port: 0 });
    const place = newPlace("");
    swapVolume(place.directory, "..1", "first-secret-1111");
    symlinkSync("..data/key", join(place.directory, "key"));
    const file = join(place.directory, "key");
    place.configure(`server: { admin_token: "${ADMIN_TOKEN}" }
store: "sqlite:./poundkey.db"
providers:
  One: { dialect: openai, keys: ["\${file:${file}}"], base_url: "${simulator.url}/openai/v1", unlisted_models: true }`);
    const serving = startServe(place, "--port", "0");
    try {
      const url = await serving.listens();
      const post = (path: string, bearer: string, body: object) =>
        fetch(url + path, {
          method: "POST",
          headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
          body: JSON.stringify(body),
        });
      const made = await post("/admin/v1/keys", ADMIN_TOKEN, { name: "test", requests_per_day: null });
      const secret = String(asObject(await made.json()).secret);
      const usedSecret = async () => {
        const body = { model: "One#sim-mini", messages: [{ role: "user", content: "hi" }] };
        expect((await post("/v1/chat/completions", secret, body)).status).toBe(200);
        return simulator.calls.last()?.headers.authorization;
      };
      expect(await usedSecret()).toBe("Bearer first-secret-1111");
      swapVolume(place.directory, "..2", "second-secret-2222");
      await until("the new one is used", async () => (await usedSecret()) === "Bearer second-secret-2222");
      expect(serving.events("credentials_changed")).toMatchObject([
        { provider: "One", removed: ["1111"], added: ["2222"] },
      ]);
      writeFileSync(join(place.directory, "..2", "key"), "");
      expect(await serving.logged("value_file_kept", 1)).toMatchObject([
        { level: "warn", file, cause: "is empty" },
      ]);
      rmSync(join(place.directory, "..2", "key"));
      expect(await serving.logged("value_file_kept", 2)).toMatchObject([{}, { cause: "doesn't exist" }]);
      expect(await usedSecret()).toBe("Bearer second-secret-2222");
      expect(serving.events("config_refused")).toEqual([]);
      expect(serving.out).not.toContain("secret-2222");
    } finally {
      serving.end();
      place.remove();
      await simulator.stop();
    }
  },
  LONG_MS,
);
