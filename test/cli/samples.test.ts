// `poundkey samples` and `poundkey health`, as processes: what they write, refuse and exit with.
import { afterEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "../../src/app/terminal.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { DEPLOY } from "../deploy/files.ts";
import { poundkey, runPrinting } from "../harness/poundkey.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";
import { until } from "../whole/world/until.ts";

const TEST_MS = 60_000;
const left: (() => void)[] = [];
afterEach(() => {
  for (const clean of left.splice(0).reverse()) clean();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-samples-"));
  left.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();

/** The files that only a release needs are none of a deployment's. */
const listSamples = () =>
  listFiles(DEPLOY).filter((name) => !/^(npm\/|release\/|channels\.yaml$)/.test(name));

describe("samples", () => {
  test(
    "writes every file as it is in the sources, scripts to be run, and names them",
    async () => {
      const folder = newFolder();
      const { code, out } = await poundkey(folder, ["samples", "new/place"]);
      const place = join(folder, "new", "place");
      expect(code).toBe(EXIT.done);
      expect(listFiles(place)).toEqual(listSamples());
      for (const name of listSamples()) {
        expect([name, readFileSync(join(place, name), "utf8")]).toEqual([
          name,
          readFileSync(join(DEPLOY, name), "utf8"),
        ]);
        expect([name, (statSync(join(place, name)).mode & 0o111) !== 0]).toEqual([
          name,
          name.endsWith(".sh"),
        ]);
        expect(out).toContain(`  ${name}\n`);
      }
    },
    TEST_MS,
  );

  test(
    "fills in what is missing, and writes nothing if a file differs",
    async () => {
      const folder = newFolder();
      await poundkey(folder, ["samples", "."]);
      rmSync(join(folder, "alerts.yaml"));
      const again = await poundkey(folder, ["samples", ".", "--json"]);
      expect([again.code, asObject(parseJson(again.out)).written]).toEqual([EXIT.done, ["alerts.yaml"]]);
      writeFileSync(join(folder, "README.md"), "mine\n");
      rmSync(join(folder, "alerts.yaml"));
      const refused = await poundkey(folder, ["samples", "."]);
      expect([refused.code, refused.out]).toEqual([EXIT.failed, ""]);
      expect(refused.err).toContain("has other versions of README.md. Nothing was written.");
      expect(readFileSync(join(folder, "README.md"), "utf8")).toBe("mine\n");
      expect(existsSync(join(folder, "alerts.yaml"))).toBe(false);
    },
    TEST_MS,
  );

  test(
    "lists without writing, and wants a folder otherwise",
    async () => {
      const listed = await runPrinting((io) => runCommandLine(["samples", "--list", "--json"], io));
      expect(asArray(parseJson(listed.out))).toEqual(listSamples());
      const bare = await runPrinting((io) => runCommandLine(["samples"], io));
      expect([bare.code, bare.err.split("\n")[0]]).toEqual([
        EXIT.usage,
        "poundkey samples: name the folder to write into, or pass --list",
      ]);
    },
    TEST_MS,
  );
});

describe("health", () => {
  test(
    "exits with 0 only once the gateway is ready, says why it isn't, and passes by proxies",
    async () => {
      const place = newPlace("providers: {}\n");
      left.push(() => place.remove());
      const bare = startServe(place, "--port", "0");
      left.push(() => bare.end());
      const url = await bare.listens();
      const unready = await poundkey(place.directory, ["health", "--url", url]);
      expect([unready.code, unready.err.trim()]).toEqual([EXIT.failed, "not ready: no provider is enabled"]);
      const port = new URL(url).port;
      place.configure(`server: { host: "0.0.0.0", port: ${port} }\n`);
      const proxied = { HTTP_PROXY: "http://127.0.0.1:9", http_proxy: "http://127.0.0.1:9" };
      bare.signal("SIGTERM");
      await bare.exited;
      const gone = await poundkey(place.directory, ["health"], proxied);
      expect([gone.code, gone.err]).toEqual([
        EXIT.failed,
        expect.stringContaining(`http://127.0.0.1:${port}/readyz doesn't answer`),
      ]);
      const ready = startServe(place, "--simulate");
      left.push(() => ready.end());
      await ready.listens();
      const healthy = await poundkey(place.directory, ["health"], proxied);
      expect([healthy.code, healthy.out.trim(), healthy.err]).toEqual([EXIT.done, "ready", ""]);
      const json = await poundkey(place.directory, [
        "health",
        "--json",
        "--url",
        `http://127.0.0.1:${port}/`,
      ]);
      expect(parseJson(json.out)).toEqual({
        ready: true,
        url: `http://127.0.0.1:${port}/readyz`,
        problems: [],
      });
    },
    TEST_MS,
  );

  test("refuses what isn't an address", async () => {
    const words = ["health", "--url", "localhost:8080"];
    const { code, err } = await runPrinting((io) => runCommandLine(words, io));
    expect([code, err.split("\n")[0]]).toEqual([
      EXIT.usage,
      "poundkey health: --url must be an address such as http://127.0.0.1:8080",
    ]);
  });
});

test(
  "systemd is told once the gateway listens",
  async () => {
    const place = newPlace("providers: {}\n");
    left.push(() => place.remove());
    const told = join(place.directory, "told");
    const program = join(place.directory, "systemd-notify");
    writeFileSync(program, `#!/bin/sh\necho "$NOTIFY_SOCKET $*" > "${told}"\n`);
    chmodSync(program, 0o755);
    const env = { PATH: `${place.directory}:${process.env.PATH}`, NOTIFY_SOCKET: "/run/notify" };
    const serving = startServe({ ...place, env }, "--port", "0", "--simulate");
    left.push(() => serving.end());
    await serving.listens();
    await until("systemd is told", () => existsSync(told) && readFileSync(told, "utf8") !== "", LONG_MS);
    expect(readFileSync(told, "utf8")).toBe("/run/notify --ready\n");
  },
  TEST_MS,
);
