// The OpenAPI document checked by an independent validator, and the gateway's traffic checked against it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import SwaggerParser from "@apidevtools/swagger-parser";
import Ajv, { type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { asArray, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { FIELD_FEATURES } from "../dialects/features-fields.ts";
import { FORMAT_FEATURES } from "../dialects/features-format.ts";
import { MESSAGE_FEATURES } from "../dialects/features-messages.ts";
import { RESULT_FEATURES } from "../dialects/features-results.ts";
import { TOOL_FEATURES } from "../dialects/features-tools.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { BAD_FIELD_ROWS, GOOD_FIELD_ROWS } from "./rows/bad-fields.ts";
import type { Row } from "./rows/row.ts";

const FEATURES = [
  ...MESSAGE_FEATURES,
  ...TOOL_FEATURES,
  ...RESULT_FEATURES,
  ...FORMAT_FEATURES,
  ...FIELD_FEATURES,
];

let gateway: UnderTest;
let document: JsonObject;
const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictTypes: false });
addFormats(ajv);
// OpenAPI keywords that don't constrain a value.
ajv.addVocabulary(["example", "components"]);

beforeAll(async () => {
  gateway = await startUnderTest();
  document = asObject(await (await fetch(`${gateway.url}/openapi.json`)).json());
});
afterAll(() => gateway.stop());

function at(...path: readonly string[]): JsonObject {
  return path.reduce((found, name) => asObject(found[name]), document);
}

/** Each is compiled once, which takes longer than all that it checks. */
const validators = new Map<string, ValidateFunction>();
function validatorAt(...path: readonly string[]): ValidateFunction {
  const name = path.join(" ");
  const known = validators.get(name);
  if (known !== undefined) return known;
  const { schema } = at(...path, "content", "application/json");
  // References lead to the components, which a schema taken out of the document hasn't.
  const validator = ajv.compile({ ...asObject(schema), components: document.components });
  validators.set(name, validator);
  return validator;
}

function requestValidator(path: string): ValidateFunction {
  return validatorAt("paths", path, "post", "requestBody");
}

function answerValidator(path: string, method: string, status: number): ValidateFunction {
  return validatorAt("paths", path, method, "responses", String(status));
}

test("the routes that may stop nodes of an older program say so, and no others", () => {
  const taking = Object.values(at("paths")).flatMap((path) =>
    Object.values(asObject(path))
      .map(asObject)
      .filter(({ parameters }) => asArray(parameters).some((one) => asObject(one).name === "stop_older"))
      .map(({ operationId }) => String(operationId)),
  );
  const expected = ["createKey", "updateKey", "putKey", "createAccount", "updateAccount", "putAccount"];
  expect(taking.toSorted()).toEqual([...expected, "applyState"].toSorted());
});

test("an independent validator accepts it", async () => {
  const file = join(gateway.directory, "openapi.json");
  await Bun.write(file, JSON.stringify(document));
  expect(await SwaggerParser.validate(file)).toMatchObject({ openapi: "3.0.3" });
});

/** They take nothing, or a form of the provider that people sign in with. */
const BODILESS = [
  "post /v1/interactions/{id}/cancel",
  "post /v1beta/interactions/{id}/cancel",
  "post /v1/batches/{id}/cancel",
  "post /v1/messages/batches/{id}/cancel",
  "post /admin/v1/batches/{id}/cancel",
  "post /admin/v1/members/{id}/anonymise",
  "post /auth/oidc/logout",
  "post /auth/oidc/backchannel",
];

test("every POST and PATCH takes a body", () => {
  const bare = Object.entries(asObject(document.paths)).flatMap(([path, methods]) =>
    Object.entries(asObject(methods))
      .filter(([method, about]) => /^(post|patch)$/.test(method) && !("requestBody" in asObject(about)))
      .map(([method]) => `${method} ${path}`),
  );
  expect(bare).toEqual(BODILESS);
});

test("a body that is always a form requires its files", () => {
  const required = (path: string) =>
    at("paths", path, "post", "requestBody", "content", "multipart/form-data", "schema").required;
  expect(required("/v1/audio/transcriptions")).toEqual(["model", "file"]);
  expect(required("/v1/images/edits")).toEqual(["model", "prompt"]);
});

test("no schema has `nullable` without a type: beside `anyOf` it has no effect", () => {
  const wrong: unknown[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("nullable" in value && !("type" in value)) wrong.push(value);
    for (const inner of Object.values(value)) look(inner);
  };
  look(document);
  expect(wrong).toEqual([]);
});

/** Rejected for reasons that no schema can express: the operator's ceilings, and fields that depend on others. */
function isBeyondSchema({ code, param, body }: Row): boolean {
  const { n, messages, model } = asObject(parseJson(String(body)));
  if (
    code?.startsWith("unsupported_") ||
    /file_data$/.test(param ?? "") ||
    (param === "stream_options" && code === null)
  )
    return true;
  if (n === 17 || (Array.isArray(messages) && messages.length > 10_000)) return true;
  return String(model).includes("\0") || (param === "tool_choice" && code === "invalid_value");
}

describe("chat requests", () => {
  const good = GOOD_FIELD_ROWS.map(({ name, body }) => [name, parseJson(String(body))] as const);
  const asked = FEATURES.map(({ name, turns }) => [name, { model: "x", ...turns[0]?.ask([]) }] as const);
  test.each([...good, ...asked])("%s", (_, body) => {
    const validate = requestValidator("/v1/chat/completions");
    validate(body);
    expect(validate.errors).toBeNull();
  });

  const bad = BAD_FIELD_ROWS.filter((row) => !isBeyondSchema(row));
  test.each(bad.map((row) => [row.name, row] as const))("refused: %s", (_, { body }) => {
    expect(requestValidator("/v1/chat/completions")(parseJson(String(body)))).toBe(false);
  });

  test("the example is valid", () => {
    const { example } = at(
      "paths",
      "/v1/chat/completions",
      "post",
      "requestBody",
      "content",
      "application/json",
    );
    expect(requestValidator("/v1/chat/completions")(example)).toBe(true);
  });
});

describe("answers", () => {
  const chat = "/v1/chat/completions";
  const body = { model: "Local#sim-mini", messages: [{ role: "user", content: "hello" }] };
  const functions = [{ name: "look", parameters: { type: "object", properties: {} } }];
  const rows: readonly (readonly [string, object, number])[] = [
    ["a completion", body, 200],
    [
      "with a tool call",
      { ...body, tools: [{ type: "function", function: functions[0] }], tool_choice: "required" },
      200,
    ],
    ["with a function call", { ...body, functions, function_call: { name: "look" } }, 200],
    ["a refusal", { ...body, n: 0 }, 400],
  ];
  test.each(rows)("%s", async (_, request, status) => {
    const response = await gateway.chat(request);
    expect(response.status).toBe(status);
    const validate = answerValidator(chat, "post", status);
    validate(await response.json());
    expect(validate.errors).toBeNull();
  });

  test.each(["/v1/models", "/v1/key"])("%s", async (path) => {
    const headers = { authorization: `Bearer ${gateway.secret}` };
    const response = await fetch(gateway.url + path, { headers });
    const validate = answerValidator(path, "get", 200);
    validate(await response.json());
    expect(validate.errors).toBeNull();
  });
});
