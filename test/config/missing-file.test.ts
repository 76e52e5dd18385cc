// The default file that a gateway was started with is removed while it runs.
import { expect, test } from "bun:test";
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { LONG_MS, newPlace, startServe } from "../serve-process.ts";

const YAML = `server: { port: 0, admin_token: "admin-token-of-the-tests" }
store: "sqlite:./poundkey.db"
providers: { Local: { base_url: "http://127.0.0.1:9/v1", models: [{ name: m }] } }
`;

test(
  "the configuration stays in use and its file is missed, until it is back",
  async () => {
    const place = newPlace(YAML);
    const serving = startServe(place);
    try {
      const url = await serving.listens();
      unlinkSync(join(place.directory, "poundkey.yaml"));
      const [refused] = await serving.logged("config_refused", 1);
      expect(String(refused?.errors)).toContain("poundkey.yaml: there is no such file");
      expect(await (await fetch(`${url}/readyz`)).text()).toContain("was refused (poundkey.yaml");
      expect(serving.events("config_reloaded")).toEqual([]);
      place.configure(YAML.replace("{ name: m }", "{ name: m }, { name: n }"));
      await serving.logged("config_reloaded", 1);
    } finally {
      serving.end();
      place.remove();
    }
  },
  LONG_MS,
);
