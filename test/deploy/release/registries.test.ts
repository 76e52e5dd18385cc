// Packages, images and charts are published once, a repetition does nothing, and something else in their place is refused. In
// the long form alone, since npm, skopeo and helm take seconds.
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, asString, parseJson } from "../../../src/core/json/json.ts";
import { IS_LONG } from "../../harness/long.ts";
import { findTool } from "../../harness/tools.ts";
import { type Registry, startImageRegistry, startNpmRegistry } from "./registries.ts";
import { fillRelease, listCalls, makeTree, type Tree } from "./tree.ts";

const TEST_MS = 60_000;
const NAME = "poundkey-trial";
const isMissing = (program: string) => findTool(program) === null;

const trees: Tree[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

function makeFilled(version: string, channels: Readonly<Record<string, string>>, program?: string): Tree {
  const tree = makeTree(version, channels);
  trees.push(tree);
  fillRelease(tree, version, NAME, program);
  return tree;
}

describe.skipIf(!IS_LONG || isMissing("npm"))("npm (needs npm)", () => {
  const registry: Registry = startNpmRegistry();
  afterAll(() => registry.stop());

  const run = (tree: Tree, ...args: readonly string[]) => {
    writeFileSync(
      join(tree.beside, ".npmrc"),
      `registry=http://${registry.host}/\n//${registry.host}/:_authToken=any\n`,
    );
    return tree.run("npm.sh", args);
  };

  test(
    "a package is published as printed, once, and never over another",
    async () => {
      const tree = makeFilled("1.4.0", { npm: NAME });
      const dry = await run(tree, "--dry-run");
      expect([dry.code, dry.err, listCalls(dry.out)]).toEqual([
        0,
        "",
        [expect.stringMatching(/^npm publish .* latest$/)],
      ]);
      expect(registry.written).toEqual([]);
      expect(await tree.replay(dry.out)).toMatchObject({ code: 0 });
      expect(registry.written).toEqual([`${NAME}@1.4.0 latest`]);
      const again = await run(tree);
      expect([again.code, again.out]).toEqual([0, `skipped: ${NAME}@1.4.0 is there with the same bytes\n`]);
      writeFileSync(join(tree.release, "..", "npm", "more.txt"), "more");
      fillRelease(tree, "1.4.0", NAME);
      const other = await run(tree);
      expect([other.code, other.err]).toEqual([
        1,
        expect.stringContaining("is there with other bytes: sha512-"),
      ]);
      expect(registry.written).toHaveLength(1);
    },
    TEST_MS,
  );

  test(
    "a pre-release and an older line move no latest",
    async () => {
      for (const version of ["2.0.0", "2.1.0-rc.1", "1.4.1"])
        expect(await run(makeFilled(version, { npm: NAME }))).toMatchObject({
          code: 0,
          err: expect.any(String),
        });
      expect(registry.written.slice(1)).toEqual([
        `${NAME}@2.0.0 latest`,
        `${NAME}@2.1.0-rc.1 next`,
        `${NAME}@1.4.1 v1-latest`,
      ]);
    },
    TEST_MS,
  );

  test(
    "a package of another name isn't published",
    async () => {
      const { code, err } = await run(makeFilled("3.0.0", { npm: "another-name" }));
      expect([code, err]).toEqual([1, expect.stringContaining("the package isn't named another-name")]);
    },
    TEST_MS,
  );
});

/** Writes the layers of both processors as layer.sh does, with the binaries of the release. */
function writeLayers({ root, release }: Tree, version: string): string {
  const layers = join(root, "dist", "layers");
  for (const [kind, system] of Object.entries({ amd64: "linux-x64", arm64: "linux-arm64" })) {
    const files = join(layers, kind, "usr", "local", "bin");
    mkdirSync(files, { recursive: true });
    const steps = [
      `cp ${release}/poundkey-${version}-${system} ${files}/poundkey`,
      `tar --create --sort=name --mtime=@0 -C ${layers}/${kind} ./usr | gzip -n > ${layers}/${kind}.tar.gz`,
    ];
    expect(Bun.spawnSync(["sh", "-ec", steps.join("\n")]).exitCode).toBe(0);
  }
  return layers;
}

describe.skipIf(!IS_LONG || isMissing("skopeo"))("images and charts (need skopeo, helm)", () => {
  const registry: Registry = startImageRegistry();
  afterAll(() => registry.stop());
  const image = `${registry.host}/acme/poundkey`;
  const channels = { image, chart: `oci://${registry.host}/acme/charts/poundkey` };

  async function publish(version: string, program?: string) {
    const tree = makeFilled(version, channels, program);
    return tree.run("image.sh", [writeLayers(tree, version)]);
  }

  async function readManifest(tag: string) {
    const answer = await fetch(`http://${registry.host}/v2/acme/poundkey/manifests/${tag}`);
    return { text: await answer.clone().text(), json: asObject(await answer.json()) };
  }

  test(
    "an image is published for two processors, once, and never over another; X.Y and latest move forward alone",
    async () => {
      const tree = makeFilled("1.4.0", channels);
      const dry = await tree.run("image.sh", ["--dry-run", writeLayers(tree, "1.4.0")]);
      expect([dry.code, dry.err, listCalls(dry.out).length]).toEqual([0, "", 3]);
      expect(registry.written).toEqual([]);
      expect(await tree.replay(dry.out)).toMatchObject({ code: 0 });
      const first = ["acme/poundkey:1.4.0", "acme/poundkey:1.4", "acme/poundkey:latest"];
      expect(registry.written).toEqual(first);
      const { json } = await readManifest("latest");
      const kinds = asArray(json.manifests).map((one) => asObject(asObject(one).platform).architecture);
      expect(kinds).toEqual(["amd64", "arm64"]);

      expect(await publish("1.4.0")).toMatchObject({ code: 0, out: expect.stringContaining("done: ") });
      const other = await publish("1.4.0", "#!/bin/sh\n# another\n");
      expect([other.code, other.err]).toEqual([
        1,
        expect.stringContaining("is there with another digest: sha256:"),
      ]);
      expect(registry.written).toEqual(first);

      for (const version of ["1.5.0-rc.1", "1.5.0", "1.4.1"])
        expect(await publish(version)).toMatchObject({ code: 0 });
      const later = ["1.5.0-rc.1", "1.5.0", "1.5", "latest", "1.4.1", "1.4"].map(
        (tag) => `acme/poundkey:${tag}`,
      );
      expect(registry.written.slice(first.length)).toEqual(later);
    },
    TEST_MS,
  );

  test("a registry that doesn't answer ends the script", async () => {
    const tree = makeFilled("1.4.0", { image: "127.0.0.1:9/acme/poundkey" });
    const { code, err } = await tree.run("image.sh", [writeLayers(tree, "1.4.0")]);
    expect([code, err]).toEqual([1, expect.stringContaining("the registry of images can't be asked")]);
  });

  test(
    "an image of another binary than the list's isn't published",
    async () => {
      const tree = makeFilled("1.6.0", channels);
      const layers = writeLayers(tree, "1.6.0");
      fillRelease(tree, "1.6.0", NAME, "#!/bin/sh\n# changed since\n");
      const { code, err } = await tree.run("image.sh", [layers]);
      expect([code, err]).toEqual([1, expect.stringContaining("isn't the one of SHA256SUMS")]);
    },
    TEST_MS,
  );

  test(
    "the image's settings are those of its Dockerfile",
    async () => {
      expect(await publish("1.7.0")).toMatchObject({ code: 0 });
      const inspected = Bun.spawn(
        ["skopeo", "inspect", "--config", "--raw", "--tls-verify=false", `docker://${image}:1.7.0`],
        { stdout: "pipe" },
      );
      const config = asObject(asObject(parseJson(await new Response(inspected.stdout).text())).config);
      const lines = await Bun.file(join(trees[0]?.root ?? "", "src/deploy/image/Dockerfile")).text();
      const line = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(lines)?.[1] ?? "";
      const seconds = (value: unknown) => `${Number(value) / 1e9}s`;
      const { Test, Interval, Timeout, StartPeriod } = asObject(config.Healthcheck);
      expect(config.User).toBe(line("USER"));
      expect(config.WorkingDir).toBe(line("WORKDIR"));
      expect(Object.keys(asObject(config.Volumes))).toEqual([line("VOLUME")]);
      expect(Object.keys(asObject(config.ExposedPorts))).toEqual([`${line("EXPOSE")}/tcp`]);
      expect(JSON.stringify(config.Entrypoint)).toBe(line("ENTRYPOINT"));
      expect(JSON.stringify(config.Cmd)).toBe(line("CMD").replaceAll(", ", ","));
      const [, ...test] = asArray(Test).map((word) => asString(word));
      const flags = `--interval=${seconds(Interval)} --timeout=${seconds(Timeout)} --start-period=${Number(StartPeriod) / 3.6e12}h`;
      expect(`${flags} CMD ${JSON.stringify(test).replaceAll(",", ", ")}`).toBe(line("HEALTHCHECK"));
    },
    TEST_MS,
  );

  test.skipIf(isMissing("helm"))(
    "a chart names the image by its digest, and is published once, and never over another",
    async () => {
      const early = await makeFilled("1.8.0", channels).run("chart.sh");
      expect([early.code, early.err]).toEqual([1, expect.stringContaining("image.sh comes first")]);
      expect(await publish("1.8.0")).toMatchObject({ code: 0 });
      const tree = makeFilled("1.8.0", channels);
      const dry = await tree.run("chart.sh", ["--dry-run"]);
      expect([dry.code, dry.err, listCalls(dry.out)]).toEqual([
        0,
        "",
        [expect.stringContaining("helm push ")],
      ]);
      expect(await tree.replay(dry.out)).toMatchObject({ code: 0 });
      expect(registry.written.at(-1)).toBe("acme/charts/poundkey:1.8.0");
      const again = await makeFilled("1.8.0", channels).run("chart.sh");
      expect([again.code, again.out]).toEqual([0, expect.stringContaining("is there with the same content")]);

      const pulled = [
        "pull",
        channels.chart,
        "--version",
        "1.8.0",
        "--plain-http",
        "--untar",
        "-d",
        tree.beside,
      ];
      expect(await Bun.spawn(["helm", ...pulled], { stdout: "ignore", stderr: "ignore" }).exited).toBe(0);
      const rendered = Bun.spawn(
        ["helm", "template", "any", join(tree.beside, "poundkey"), "--kube-version", "1.35.0"],
        { stdout: "pipe" },
      );
      const { text } = await readManifest("1.8.0");
      const digest = new Bun.CryptoHasher("sha256").update(text).digest("hex");
      expect(await new Response(rendered.stdout).text()).toContain(`image: "${image}@sha256:${digest}"`);

      const other = makeFilled("1.8.0", channels);
      other.write("src/deploy/chart/templates/NOTES.txt", "Other notes.\n");
      const refused = await other.run("chart.sh");
      expect([refused.code, refused.err]).toEqual([
        1,
        expect.stringContaining("is there with other content"),
      ]);
    },
    TEST_MS,
  );
});
