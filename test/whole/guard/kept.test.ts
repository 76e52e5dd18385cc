// What the guard found stands in the request's row once its client has the answer, on every chat surface.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { makeRequest, nameWay, WAYS } from "../../steps/asked.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { type GuardWorld, startGuardWorld } from "./world.ts";

let own: GuardWorld;
beforeAll(async () => {
  own = await startGuardWorld(`
guard:
  rules:
    - { name: people, detect: [email], at: [request, answer] }
    - { name: cards, detect: [finance] }`);
});
afterAll(() => own.stop());

const FINDINGS = [
  { detector: "email", action: "report", at: "request", count: 2, rule: "people" },
  { detector: "card", action: "report", at: "request", count: 1, rule: "cards" },
  { detector: "email", action: "report", at: "answer", count: 2, rule: "people" },
];

const read = async (path: string) =>
  asArray((await createOperator(own.world).get(path)).body.data).map(asObject);
const sort = (findings: unknown) =>
  asArray(findings)
    .map((one) => JSON.stringify(one))
    .toSorted();

describe.each(WAYS.map((way) => [nameWay(way), way] as const))("%s", (name, way) => {
  test("a row has the findings of request and answer", async () => {
    const { secret, id } = await own.world.newKey({ name, requests_per_day: null });
    const words = "say: ada@corp-x.de and 4532 0151 1283 0366 and bob@corp-x.de";
    expect((await own.post(...makeRequest(way, words), secret)).status).toBe(200);
    const [row] = await until("it is logged", async () => {
      const rows = await read(`/requests?key=${id}`);
      return rows.length > 0 ? rows : null;
    });
    expect(sort(row?.guard)).toEqual(sort(FINDINGS));
    expect(await read(`/requests?key=${id}&finding=card`)).toHaveLength(1);
    expect(await read(`/usage?key=${id}&group_by=finding`)).toHaveLength(FINDINGS.length);
  });
});
