// The default file that a gateway was started with is removed or emptied while it runs.
import { expect, test } from "bun:test";
import { unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";

const YAML = `server: { port: 0, admin_token: "admin-token-of-the-tests" }
store: "sqlite:./poundkey.db"
providers: { Local: { base_url: "http://127.0.0.1:9/v1", models: [{ name: m }] } }
`;

const lose = (file: string) => unlinkSync(file);
const empty = (file: string) => writeFileSync(file, "# soon\n");

test.each([
  ["missing", lose, "poundkey.yaml: there is no such file"],
  ["empty", empty, "poundkey.yaml:1:1: the file is empty"],
] as const)(
  "the configuration stays in use while its file is %s, until it is back",
  async (_name, change, reason) => {
    const place = newPlace(YAML);
    const serving = startServe(place);
    try {
      const url = await serving.listens();
      change(join(place.directory, "poundkey.yaml"));
      const [refused] = await serving.logged("config_refused", 1);
      expect(String(refused?.errors)).toContain(reason);
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
