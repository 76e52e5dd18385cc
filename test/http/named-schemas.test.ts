// The OpenAPI document as a client's generator reads it: schemas with names, parameters with words, one spelling of each path.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { version } from "../../package.json" with { type: "json" };
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { NAMED } from "../../src/http/openapi/named.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";

let world: HttpWorld;
let document: JsonObject;
beforeAll(async () => {
  world = await startHttpWorld();
  document = asObject(await (await fetch(`${world.url}/openapi.json`)).json());
});
afterAll(() => world.stop());

function listOperations(): readonly (readonly [name: string, operation: JsonObject])[] {
  return Object.entries(asObject(document.paths)).flatMap(([path, methods]) =>
    Object.entries(asObject(methods)).map(
      ([method, one]) => [`${method.toUpperCase()} ${path}`, asObject(one)] as const,
    ),
  );
}

const answerOf = (path: string, method = "get") => {
  const operation = asObject(asObject(asObject(document.paths)[path])[method]);
  const ok = asObject(asObject(operation.responses)["200"] ?? asObject(operation.responses)["201"]);
  return asObject(asObject(asObject(ok.content)["application/json"]).schema);
};

test("keys, requests and accounts have names, and their fields words", () => {
  const { schemas } = asObject(document.components);
  const rows = (path: string) => asObject(asObject(answerOf(path).properties).data).items;
  expect(rows("/admin/v1/keys")).toEqual({ $ref: "#/components/schemas/Key" });
  expect(rows("/admin/v1/requests")).toEqual({ $ref: "#/components/schemas/Request" });
  expect(rows("/admin/v1/accounts")).toEqual({ $ref: "#/components/schemas/Account" });
  expect(answerOf("/admin/v1/requests/{id}")).toEqual({ $ref: "#/components/schemas/RequestDetail" });
  const { properties } = asObject(asObject(schemas).Key);
  expect(asObject(asObject(properties).allowed_models).description).toStartWith(
    "Ids of models and selectors",
  );
  expect(asObject(document.info)).toMatchObject({ version: "1.0.0", "x-program-version": version });
});

test("every schema that has a name is used by it, so that generated types are called so", () => {
  const { schemas } = asObject(document.components);
  const text = JSON.stringify(document);
  const isUsed = (name: string) => text.includes(`{"$ref":"#/components/schemas/${name}"}`);
  expect(Object.keys(NAMED).filter((name) => !isUsed(name))).toEqual([]);
  expect(Object.keys(asObject(schemas)).toSorted()).toEqual([...Object.keys(NAMED), "Error"].toSorted());
});

test("every parameter of the operator's routes is described", () => {
  const bare = listOperations().flatMap(([name, { parameters }]) =>
    asArray(parameters ?? [])
      .map(asObject)
      .filter(({ description }) => typeof description !== "string")
      .map((one) => `${name}: ${one.name}`),
  );
  expect(bare).toEqual([]);
});

test("other spellings of a path and our own pages are internal, and the others aren't", () => {
  const internal = listOperations()
    .filter(([, one]) => one["x-internal"] === true)
    .map(([name]) => name);
  for (const name of ["POST /chat/completions", "GET /docs/{id}", "GET /auth/oidc/callback"])
    expect(internal).toContain(name);
  for (const name of ["POST /v1/chat/completions", "GET /v1/models", "GET /admin/v1/keys"])
    expect(internal).not.toContain(name);
});
