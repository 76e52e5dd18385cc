// The places in which a plain thing has to stand beside its row.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PlainThing } from "../../src/core/things/plain.ts";
import { STEPS } from "../../src/store/schema/steps.ts";
import { ROOT } from "../tidy/sources.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** Returns the places that lack it, or what of it is missing there. */
export function listLacking({ name, plural, actions }: PlainThing): readonly string[] {
  const { make, change, end } = actions;
  const routes = Object.values(actions).map(({ method, path }) => `${method} ${path}`);
  const exported = ["csv", "jsonl"].map((form) => `GET /export/${plural}.${form}`);
  const changes = [make, change, end].map(({ method, path }) => `${method} ${path}`);
  const isDeclared = STEPS.flat().some((part) => part.kind === "createTable" && part.table === name);
  const tables = readdirSync(join(ROOT, "src/docs")).filter((file) => file.startsWith("admin-"));
  const hasTable = tables.some((file) => read(`src/docs/${file}`).includes(`<!-- fields of ${plural}: `));
  const wanted: readonly (readonly [path: string, words: readonly string[]])[] = [
    ["test/people/matrix.ts", [...routes, ...exported].map((route) => `"${route}"`)],
    ["test/http/route-schemas.test.ts", [`"/${plural}"`, `"/${plural}/{id}"`]],
    ["test/http/routes-apart.ts", [`"${plural}"`]],
    ["test/whole/audit/changes.ts", changes.map((route) => `"${route}"`)],
    ["test/console/views.ts", [`"/settings/${plural}"`]],
    ["src/docs/admin-api.md", [`/export/${plural}.`]],
    ["src/docs/command-line.md", [`poundkey ${plural}`]],
    ["src/docs/state.md", [plural]],
    ["src/docs/console.md", [plural]],
  ];
  return [
    ...(isDeclared ? [] : [`src/store/schema/steps.ts: ${name}`]),
    ...(hasTable ? [] : [`src/docs/admin-….md: fields of ${plural}`]),
    ...wanted.flatMap(([path, words]) => {
      const text = read(path);
      return words.filter((word) => !text.includes(word)).map((word) => `${path}: ${word}`);
    }),
  ];
}
