// The routes that the code of the gateway registers, read off its text and the rows of things.
import { EXPORT_FORMS } from "../../../src/admin/log/export-rows.ts";
import { EXPORTS } from "../../../src/admin/log/exports.ts";
import { THINGS } from "../../../src/core/things/things.ts";
import { SURFACES } from "../../../src/surfaces/index.ts";
import { readSources } from "../../tidy/sources.ts";

interface Registered {
  readonly method: string;
  /** As it is registered: `/v1/responses/:id`, `/docs/*`. */
  readonly path: string;
}

/** Each route once. */
export const REGISTERED: readonly Registered[] = listRoutes();

function listRoutes(): readonly Registered[] {
  const written = readSources("src/http").flatMap(({ text }) => {
    const prefix = /new Elysia\(\{ prefix: "([^"]+)" \}\)/.exec(text)?.[1] ?? "";
    const calls = [...text.matchAll(/\.(get|post|patch|delete|head|put)\(\s*"(\/[^"]*)"/g)];
    return calls.map(([, method = "", path = ""]) => ({ method: method.toUpperCase(), path: prefix + path }));
  });
  const ofThings = THINGS.flatMap(({ actions }) =>
    Object.values(actions).map(({ method, path }) => ({ method, path: `/admin/v1${path}` })),
  );
  const exported = Object.keys(EXPORTS).flatMap((name) =>
    EXPORT_FORMS.map((form) => ({ method: "GET", path: `/admin/v1/export/${name}.${form}` })),
  );
  const all = [
    ...written,
    ...ofThings,
    ...exported,
    ...SURFACES.map(({ path }) => ({ method: "POST", path })),
  ];
  return [...new Map(all.map((one) => [`${one.method} ${one.path}`, one])).values()];
}
