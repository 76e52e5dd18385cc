// The Node that a start takes: package.json says which, all documents name the same, and no package that it installs asks for more.
import { expect, test } from "bun:test";
import { engines } from "../../package.json" with { type: "json" };
import { asObject, asString, parseJson } from "../../src/core/json/json.ts";
import { DOCUMENTS, readDocument } from "./documents.ts";

const LEAST = engines.node.replace(">=", "");
/** A version that no release reaches soon, for ranges that end. */
const LATER = "99.0.0";

const NPM_PAGE = "src/deploy/npm/README.md";
const NAMING = ["README.md", ".github/CONTRIBUTING.md", "src/docs/getting-started.md", NPM_PAGE];

const packages = Object.entries(asObject(asObject(parseJson(readDocument("package-lock.json"))).packages));

test("package.json says from which Node on, and the lock file says the same", () => {
  expect(engines.node).toMatch(/^>=\d+$/);
  const [, own] = packages.find(([path]) => path === "") ?? [];
  expect(asObject(own).engines).toEqual(engines);
});

test("the documents that say which Node is needed name this one", () => {
  const named = [...DOCUMENTS, NPM_PAGE].flatMap((path) =>
    [...readDocument(path).matchAll(/\bNode (\d+) (?:or|and) newer/g)].map(([, node]) => [path, node]),
  );
  expect(named.filter(([, node]) => node !== LEAST)).toEqual([]);
  expect(NAMING.filter((path) => !named.some(([found]) => found === path))).toEqual([]);
});

// npm 10 warns of packages that it leaves out too, so a start prints its errors alone, and this list stands in for the warnings.
// Elysia takes any `file-type` from 20 on. package.json's `overrides` keep it below 22, which asks for Node 22.
test("no package that a start installs asks for another Node, which npm would warn of", () => {
  const asking = packages.flatMap(([path, row]) => {
    const { dev, engines: asked } = asObject(row);
    const range = asString(asObject(asked).node);
    return dev === true || range === undefined ? [] : [{ path, range }];
  });
  expect(asking.length).toBeGreaterThan(20);
  const refuses = (range: string) => (version: string) => !Bun.semver.satisfies(version, range);
  expect(asking.filter(({ range }) => [`${LEAST}.0.0`, LATER].some(refuses(range)))).toEqual([]);
});
