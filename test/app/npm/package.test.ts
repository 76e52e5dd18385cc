// The npm package: what is in it, and its launcher with a gateway in an empty home and a hostile working folder.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engines as ours, version } from "../../../package.json" with { type: "json" };
import { CHANNELS } from "../../../src/app/channels.ts";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { isMissing } from "../../harness/tools.ts";
import { until } from "../../whole/world/until.ts";
import { buildPackage, type Installed, install, makeHostile, NODE, RUNTIME } from "./packed.ts";
import { ask, clear, listProcesses, run, start, startAtTerminal } from "./running.ts";

const TEST_MS = 60_000;
const MEGABYTE = 1_000_000;

const folder = mkdtempSync(join(tmpdir(), "poundkey-package-"));
const files = buildPackage(folder);
const places: Installed[] = [];
afterAll(() => {
  for (const place of places) clear(place);
  rmSync(folder, { recursive: true });
});

function newPlace(): Installed {
  const place = install(files);
  places.push(place);
  return place;
}

const lacking = NODE === null ? "Node" : RUNTIME === null ? "npm's runtime" : null;
isMissing(`no ${lacking} for the launcher`, lacking === null);

describe("the package", () => {
  const names = readdirSync(files, { recursive: true, encoding: "utf8" });
  const manifest = asObject(parseJson(readFileSync(join(files, "package.json"), "utf8")));

  test("is small, and has neither sources nor tests nor maps", () => {
    const tarball = join(folder, `poundkey-${version}.tgz`);
    expect(statSync(tarball).size).toBeLessThan(6 * MEGABYTE);
    expect(names.length).toBeLessThan(600);
    expect(names.filter((name) => /\.(tsx?|map)$|\.test\./.test(name))).toEqual([]);
    for (const name of ["LICENSE", "NOTICES.txt", "README.md", "poundkey.cdx.json", "deploy/README.md"])
      expect(names).toContain(name);
    expect(names.filter((name) => /^deploy\/(npm|release|channels)/.test(name))).toEqual([]);
  });

  test("takes the project's Node, depends on the runtimes of six systems at the version of the lock file, and runs no script", () => {
    const { name, type, bin, engines, optionalDependencies, ...rest } = manifest;
    expect({ name, type, bin, engines }).toEqual({
      name: CHANNELS.npm ?? "poundkey",
      type: "module",
      bin: { poundkey: "launch.mjs" },
      engines: ours,
    });
    expect(Object.keys(rest).toSorted()).toEqual(["description", "license", "version"]);
    expect(Object.entries(asObject(optionalDependencies))).toHaveLength(6);
    expect(new Set(Object.values(asObject(optionalDependencies)))).toEqual(new Set([Bun.version]));
  });

  test("has a launcher of at most 80 lines that imports nothing but Node's modules", () => {
    const text = readFileSync(join(files, "launch.mjs"), "utf8");
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(80);
    const imported = [...text.matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => name);
    expect(imported.filter((name) => !name.startsWith("node:"))).toEqual([]);
  });

  test("keeps the code as it was written, which the routes read, and names its threads as they are", () => {
    const code = names
      .filter((name) => name.endsWith(".js"))
      .map((name) => readFileSync(join(files, name), "utf8"));
    expect(code.join("\n")).toContain("function readWords(args, places)");
    const assets = names.filter((name) => /^[\w.-]+\.data-\w+\.json$/.test(name));
    expect(assets.length).toBeGreaterThan(2);
    // Such a path would lead into the working folder.
    expect(assets.filter((name) => code.join("\n").includes(`"./${name}"`))).toEqual([]);
    const threads = [...code.join("\n").matchAll(/new URL\("\.\/([\w-]+)(\.\w+)", import\.meta\.url\)/g)];
    expect(threads.length).toBeGreaterThan(3);
    for (const [, name = "", ending] of threads)
      expect([ending, names]).toEqual([".js", expect.arrayContaining([`${name}.js`])]);
  });
});

describe.skipIf(lacking !== null)("the launcher", () => {
  test(
    "starts a gateway that answers as printed, whatever lies in the working folder, and ends it with SIGTERM",
    async () => {
      const place = newPlace();
      makeHostile(place.work);
      const before = readdirSync(place.work, { recursive: true, encoding: "utf8" }).toSorted();
      const running = start(place, ["--port", "0"]);
      const { url } = await running.greeted();
      for (const model of ["Sim#sim-mini", "Router#fair"])
        expect([model, ...(await ask(running, model))]).toEqual([
          model,
          200,
          expect.stringContaining("You said: hello"),
        ]);
      for (const path of ["/", "/docs", "/docs/api", "/docs/search.json", "/openapi.json"])
        expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
      running.kill("SIGTERM");
      expect(await running.exited).toBe(0);
      expect(running.printed()).not.toContain("HOSTILE");
      expect(running.printed()).toContain("./poundkey.yaml and ./.poundkey of this folder are not read");
      expect(readdirSync(place.work, { recursive: true, encoding: "utf8" }).toSorted()).toEqual(before);
      expect(readdirSync(join(place.home, ".local/share/poundkey"))).toContain("quickstart.key");
      expect(listProcesses(place)).toEqual([]);
    },
    TEST_MS,
  );

  test(
    "lets a running answer end after Ctrl-C at a terminal",
    async () => {
      const place = newPlace();
      const first = startAtTerminal(place, ["--port", "0"]);
      const { url, secret } = await first.greeted();
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "Sim#sim-mini~pace=50~chunks=20",
          messages: [{ role: "user", content: "hello" }],
          stream: true,
        }),
      });
      first.type("\x03");
      await until("it no longer listens", () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => !ok,
          () => true,
        ),
      );
      expect(await answer.text()).toEndWith("data: [DONE]\n\n");
      expect(await first.exited).toBe(0);
    },
    TEST_MS,
  );

  test(
    "says in one line what is missing, and passes arguments and exit codes on",
    async () => {
      const place = newPlace();
      expect(await run(place, ["--version"])).toMatchObject({
        code: 0,
        out: expect.stringContaining(version),
      });
      expect(await run(place, ["keys", "add", "--nmae", "a b"])).toMatchObject({ code: 2, out: "" });
      expect((await run(place, ["samples", "--list"])).out).toContain("chart/Chart.yaml");
      const manifest = join(place.runtime, "package.json");
      writeFileSync(manifest, '{ "version": "1.0.0" }');
      const elsewhere = join(place.work, "node_modules", RUNTIME ?? "");
      mkdirSync(elsewhere, { recursive: true });
      writeFileSync(join(elsewhere, "package.json"), `{ "version": "${Bun.version}" }`);
      expect(await run(place, ["--version"])).toEqual({
        code: 1,
        out: "",
        err: `poundkey: the runtime ${RUNTIME} ${Bun.version} isn't installed. Install again without --omit=optional.\n`,
      });
      writeFileSync(join(place.launcher, "..", "package.json"), "{}");
      expect(await run(place, ["--version"])).toEqual({
        code: 1,
        out: "",
        err: `poundkey: there is no runtime for ${process.platform}-${process.arch}. Use WSL or the container image.\n`,
      });
    },
    TEST_MS,
  );
});
