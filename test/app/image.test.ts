// The container image: its recipe is pinned and copies no secret, and its bill of materials is complete.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { version as ownVersion } from "../../package.json" with { type: "json" };
import { buildBillOfMaterials } from "../../src/app/build/materials.ts";
import { asArray, asObject, asString, parseJson } from "../../src/core/json/json.ts";

const ROOT = join(import.meta.dir, "..", "..");
const textOf = (name: string) => readFileSync(join(ROOT, name), "utf8");

describe("the container image", () => {
  const lines = textOf("Dockerfile").replaceAll("\\\n", " ").split("\n");
  const instructions = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const stages = instructions("FROM").map((line) => /^(\S+)(?: AS (\S+))?$/.exec(line) ?? []);
  /** The files that are copied from this folder, not from another stage. */
  const sent = instructions("COPY").filter((line) => !line.startsWith("--from"));
  const sources = sent.flatMap((line) => line.split(/\s+/).slice(0, -1));

  test("is built on a base image pinned by digest, and has nothing but what the build leaves it", () => {
    const [build, own] = stages.map(([, image]) => image);
    expect(build).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    expect([own, stages.length]).toEqual(["scratch", 2]);
  });

  test("is built from the lock file, with integrity hashes", () => {
    expect(instructions("RUN")).toContain("npm ci --omit=dev");
    expect(lines.join("\n")).not.toMatch(/npm (i|install)\b|bun install|curl|wget/);
    const packages = Object.entries(asObject(asObject(parseJson(textOf("package-lock.json"))).packages));
    const unproven = packages.filter(([path, entry]) => path !== "" && !asString(asObject(entry).integrity));
    expect(unproven.map(([path]) => path)).toEqual([]);
  });

  test("runs without root and has a health check", () => {
    const user = lines.findIndex((line) => line.startsWith("USER "));
    expect(lines[user]).toBe("USER 10001:10001");
    expect(lines.slice(user).filter((line) => line.startsWith("RUN "))).toEqual([]);
    expect(instructions("HEALTHCHECK").join("")).toEndWith('CMD ["/usr/local/bin/poundkey", "health"]');
  });

  test("the build context contains exactly what the build needs", () => {
    const [first, ...kept] = textOf(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(first).toBe("*");
    expect(kept.toSorted()).toEqual(sources.map((name) => `!${name.replace(/^\.\//, "")}`).toSorted());
    for (const name of sources) expect([name, existsSync(join(ROOT, name))]).toEqual([name, true]);
    expect(outside().filter((name) => !sources.includes(name))).toEqual([]);
  });

  /** Files beside `src` that are imported from it. */
  function outside(): readonly string[] {
    const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
    const imported = files
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => {
        const from = [...textOf(join("src", file)).matchAll(/from\s+"(\.[^"]+)"/g)];
        return from.map((match) => normalize(join("src", dirname(file), match[1] ?? "")));
      });
    return [...new Set(imported)].filter((name) => !name.startsWith("src/"));
  }
});

describe("the bill of materials", () => {
  const lock = textOf("package-lock.json");
  const bill = buildBillOfMaterials(lock);
  const components = asArray(bill.components).map(asObject);
  const nameOf = ({ group, name, version }: Record<string, unknown>) =>
    `${group === undefined ? "" : `${group}/`}${name}@${version}`;

  test("describes the program and its version", () => {
    expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
    expect(bill.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const { name, version, license } = asObject(parseJson(textOf("package.json")));
    const licenses = [{ license: { id: license } }];
    expect(asObject(bill.metadata).component).toMatchObject({ type: "application", name, version, licenses });
  });

  test("lists each runtime package once, and none for development", () => {
    const names = components.map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    const [program, ...packages] = Object.entries(asObject(asObject(parseJson(lock)).packages));
    // The compiler's builds belong to a development package, whatever the lock file says.
    let runs = packages.filter(([path, entry]) => {
      const { dev, devOptional, peer } = asObject(entry);
      return !dev && !devOptional && !peer && !path.includes("/@typescript/");
    });
    // The lock marks no package that a peer and one of development need, and nothing else.
    for (let before = -1; before !== runs.length; ) {
      before = runs.length;
      const all = [program, ...runs].map((one) => asObject(one?.[1]));
      const needed = new Set(
        all.flatMap((entry) => [
          ...Object.keys(asObject(entry.dependencies)),
          ...Object.keys(asObject(entry.optionalDependencies)),
        ]),
      );
      runs = runs.filter(([path]) => needed.has(path.slice(path.lastIndexOf("node_modules/") + 13)));
    }
    const expected = runs.map(
      ([path, entry]) => `${path.slice(path.lastIndexOf("node_modules/") + 13)}@${asObject(entry).version}`,
    );
    expect(names.toSorted()).toEqual([...new Set(expected)].toSorted());
    for (const name of ["bun@1.4.4", "elysia@", "yaml@", "@sinclair/typebox@", "swagger-ui-dist@"])
      expect(names.some((one) => one.startsWith(name))).toBe(true);
    for (const name of ["typescript@", "@biomejs/", "openai@"])
      expect(names.filter((one) => one.startsWith(name))).toEqual([]);
  });

  test("gives each package's source, content and licence", () => {
    for (const component of components) {
      const { type, purl, hashes, licenses, scope } = component;
      expect(type).toBe("library");
      expect(purl).toBe(`pkg:npm/${nameOf(component).replace(/^@/, "%40")}`);
      expect(component["bom-ref"]).toBe(purl);
      expect(hashes).toEqual([{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
      expect(asArray(licenses).length).toBe(1);
      expect(scope).toBe(String(purl).startsWith("pkg:npm/%40oven/") ? "optional" : "required");
    }
  });

  test("lists exactly the needed packages", () => {
    const dependencies = asArray(bill.dependencies).map(asObject);
    const refs = dependencies.map(({ ref }) => String(ref));
    const needed = new Set(dependencies.flatMap(({ dependsOn }) => asArray(dependsOn).map(String)));
    expect(refs.toSorted()).toEqual(
      [`pkg:npm/poundkey@${ownVersion}`, ...components.map(({ purl }) => String(purl))].toSorted(),
    );
    expect([...needed].toSorted()).toEqual(components.map(({ purl }) => String(purl)).toSorted());
    const direct = Object.keys(asObject(asObject(parseJson(textOf("package.json"))).dependencies));
    expect(asArray(dependencies[0]?.dependsOn).length).toBe(direct.length);
  });

  test("of a release's binary has that system's runtime alone", () => {
    const own = buildBillOfMaterials(lock, "@oven/bun-linux-aarch64-musl");
    const listed = asArray(own.components).map((one) => nameOf(asObject(one)));
    const runtimes = (names: readonly string[]) => names.filter((name) => name.startsWith("@oven/"));
    expect(runtimes(listed)).toEqual([expect.stringMatching(/^@oven\/bun-linux-aarch64-musl@\d/)]);
    expect(runtimes(components.map(nameOf)).length).toBeGreaterThan(4);
    expect(listed.length - 1).toBe(components.length - runtimes(components.map(nameOf)).length);
    expect(asArray(own.dependencies)).toHaveLength(listed.length + 1);
    expect(JSON.stringify(own.dependencies)).not.toContain("bun-darwin");
  });

  test("is reproducible, and changes with the lock file", () => {
    expect(JSON.stringify(buildBillOfMaterials(lock))).toBe(JSON.stringify(bill));
    const other = buildBillOfMaterials(
      lock.replace(/(?<="node_modules\/yaml": \{\s*"version": ")[^"]+/, "99.0.0"),
    );
    expect(other.serialNumber).not.toBe(bill.serialNumber);
  });

  test("picks the nearest of two versions of a package", () => {
    const packages = {
      "": { name: "p", version: "1.0.0", dependencies: { a: "1", b: "1" } },
      "node_modules/a": { version: "1.0.0", dependencies: { b: "2" } },
      "node_modules/a/node_modules/b": {
        version: "2.0.0",
        dependencies: { a: "1" },
        license: "(MIT OR ISC)",
      },
      "node_modules/b": { version: "1.0.0", optionalDependencies: { missing: "1" } },
    };
    const small = buildBillOfMaterials(JSON.stringify({ packages }));
    expect(small.dependencies).toEqual([
      { ref: "pkg:npm/p@1.0.0", dependsOn: ["pkg:npm/a@1.0.0", "pkg:npm/b@1.0.0"] },
      { ref: "pkg:npm/a@1.0.0", dependsOn: ["pkg:npm/b@2.0.0"] },
      { ref: "pkg:npm/b@1.0.0", dependsOn: [] },
      { ref: "pkg:npm/b@2.0.0", dependsOn: ["pkg:npm/a@1.0.0"] },
    ]);
    expect(asObject(asArray(small.components)[2]).licenses).toEqual([{ expression: "MIT OR ISC" }]);
  });
});
