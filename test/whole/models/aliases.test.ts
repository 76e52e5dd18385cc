// Aliases created at run time: valid on every node and after a restart, without changing those of the file.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { BINARY, type Started, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { formatLine } from "../world/observe.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const SOON_MS = 10_000;
const MINI = "OpenAI#sim-mini";
const CLAUDE = "Anthropic#sim-mini";

let world: UnderTest;
let operator: Operator;
let other: Started;
beforeAll(async () => {
  world = await startUnderTest({
    more: `aliases: { house: "${MINI}", "gpt-*": "${MINI}", team: [{ model: "${MINI}" }] }`,
  });
  operator = createOperator(world);
  other = await world.another();
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});

async function usedBy(model: string, url = world.url): Promise<string> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${world.secret}` };
  const body = JSON.stringify(asking(model));
  const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  return response.headers.get("x-poundkey-model") ?? String(response.status);
}

const find = (rows: unknown, name: string): JsonObject | undefined =>
  asArray(rows)
    .map(asObject)
    .find((row) => row.name === name);

describe("an alias made at run time", () => {
  test("works immediately here and soon on other nodes, until it is deleted", async () => {
    expect(await usedBy("fast")).toBe("404");
    const made = await operator.post("/aliases", { name: "fast", target: "anthropic/sim-mini" });
    expect([made.status, made.body]).toEqual([
      201,
      { name: "fast", target: CLAUDE, source: "stored", created_at: expect.any(String) },
    ]);
    expect(await usedBy("fast")).toBe(CLAUDE);
    await until("the other knows it", async () => (await usedBy("fast", other.url)) === CLAUDE, SOON_MS);
    const changed = await operator.patch("/aliases", { name: "fast", target: MINI });
    expect([changed.status, changed.body.target]).toEqual([200, MINI]);
    expect(await usedBy("fast")).toBe(MINI);
    const gone = await operator.delete("/aliases?name=fast");
    expect([gone.status, gone.body.name]).toEqual([200, "fast"]);
    expect(await usedBy("fast")).toBe("404");
    await until("the other forgets it", async () => (await usedBy("fast", other.url)) === "404", SOON_MS);
  });

  test.each(["*", "***", "__proto__"])("can't be named %s", async (name) => {
    const { status, error } = await operator.post("/aliases", { name, target: MINI });
    expect([status, error?.param]).toEqual([400, "name"]);
    expect(error?.message).toContain("not only * and not __proto__");
    expect(await usedBy(name)).toMatch(/^40[04]$/);
  });

  test("can have the name of a property of every object", async () => {
    for (const name of ["constructor", "toString", "hasOwnProperty"]) {
      expect(await usedBy(name)).toBe("404");
      expect((await operator.post("/aliases", { name, target: MINI })).status).toBe(201);
      expect(await usedBy(name)).toBe(MINI);
      expect((await operator.delete(`/aliases?name=${name}`)).status).toBe(200);
      expect(await usedBy(name)).toBe("404");
    }
  });

  test("can be a group, a selector or a pattern, and can be used in the URL", async () => {
    const group = [{ model: CLAUDE, weight: 2.5 }, { model: "mistral/sim-mini" }];
    const made = await operator.post("/aliases", { name: "my/group", target: group });
    expect(made.body.target).toEqual([
      { model: CLAUDE, weight: 2.5 },
      { model: "Mistral#sim-mini", weight: 1 },
    ]);
    expect(await usedBy("my/group")).toMatch(/^(Anthropic|Mistral)#sim-mini$/);
    const path = `/aliases/${encodeURIComponent("my/group")}`;
    expect((await operator.patch(path, { target: "Router#best" })).body.target).toBe("Router#best");
    expect((await operator.delete(path)).status).toBe(200);
    await operator.post("/aliases", { name: "claude-*", target: CLAUDE });
    expect(await usedBy("claude-anything")).toBe(CLAUDE);
    await operator.delete(`/aliases/${encodeURIComponent("claude-*")}`);
    expect(await usedBy("claude-anything")).toBe("404");
  });

  test("survives a restart, follows those of the file in lists, and appears in the settings", async () => {
    await operator.post("/aliases", { name: "kept", target: [{ model: CLAUDE, weight: 3 }] });
    const again = await world.another();
    expect(await usedBy("kept", again.url)).toBe(CLAUDE);
    const theirs = createOperator({ url: again.url, adminToken: world.adminToken });
    const { body } = await theirs.get("/aliases");
    expect(asArray(body.data).map((row) => [asObject(row).name, asObject(row).source])).toEqual([
      ["house", "configured"],
      ["gpt-*", "configured"],
      ["team", "configured"],
      ["kept", "stored"],
    ]);
    expect(find(body.data, "house")).toEqual({
      name: "house",
      target: MINI,
      source: "configured",
      created_at: null,
    });
    expect(asObject((await theirs.get("/settings")).body.aliases).kept).toEqual([
      { model: CLAUDE, weight: 3 },
    ]);
    await again.stop();
    await operator.delete("/aliases?name=kept");
  });

  test("yields to a matching pattern of the file", async () => {
    await operator.post("/aliases", { name: "gpt-5*", target: CLAUDE });
    expect(await usedBy("gpt-5-turbo")).toBe(MINI);
    await operator.delete("/aliases?name=gpt-5*");
  });

  test("of the same name can only be created once, by the first request", async () => {
    const theirs = createOperator({ url: other.url, adminToken: world.adminToken });
    const made = await Promise.all(
      [operator, theirs, operator, theirs].map((by) => by.post("/aliases", { name: "once", target: MINI })),
    );
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    await operator.delete("/aliases?name=once");
  });
});

describe("operator mistakes", () => {
  const target = MINI;
  const group = (...targets: readonly unknown[]) => ({ name: "x", target: targets });
  test.each<[string, string, object, string]>([
    ["POST", "", { name: "house", target }, "409 invalid_request_error alias_configured name"],
    ["PATCH", "", { name: "house", target }, "409 invalid_request_error alias_configured name"],
    ["PATCH", "/house", { target }, "409 invalid_request_error alias_configured name"],
    ["DELETE", "?name=house", {}, "409 invalid_request_error alias_configured name"],
    ["DELETE", "/gpt-*", {}, "409 invalid_request_error alias_configured name"],
    ["PATCH", "", { name: "none", target }, "404 invalid_request_error not_found"],
    ["PATCH", "/none", { target }, "404 invalid_request_error not_found"],
    ["DELETE", "?name=none", {}, "404 invalid_request_error not_found"],
    ["DELETE", "", {}, "400 invalid_request_error missing_required_parameter name"],
    ["POST", "", { target }, "400 invalid_request_error missing_required_parameter name"],
    ["POST", "", { name: "x" }, "400 invalid_request_error missing_required_parameter target"],
    ["POST", "", { name: "x", target, weight: 1 }, "400 invalid_request_error unknown_parameter weight"],
    ["POST", "", { name: "a b", target }, "400 invalid_request_error invalid_value name"],
    ["POST", "", { name: "", target }, "400 invalid_request_error invalid_value name"],
    ["POST", "", { name: "Router#best", target }, "400 invalid_request_error invalid_value name"],
    ["POST", "", { name: "openai/gpt-5.4", target }, "400 invalid_request_error invalid_value name"],
    ["POST", "", { name: "x", target: 7 }, "400 invalid_request_error invalid_type target"],
    ["POST", "", { name: "x", target: "Nobody#gpt" }, "400 invalid_request_error invalid_value target"],
    ["POST", "", { name: "x", target: "team" }, "400 invalid_request_error invalid_value target"],
    ["POST", "", group(), "400 invalid_request_error invalid_value target"],
    ["POST", "", group("a"), "400 invalid_request_error invalid_type target[0]"],
    ["POST", "", group({ model: "Nobody#x" }), "400 invalid_request_error invalid_value target[0].model"],
    ["POST", "", group({ model: "Router#best" }), "400 invalid_request_error invalid_value target[0].model"],
    [
      "POST",
      "",
      group({ model: target }, { model: target }),
      "400 invalid_request_error invalid_value target[1].model",
    ],
    [
      "POST",
      "",
      group({ model: target, weight: 0 }),
      "400 invalid_request_error invalid_value target[0].weight",
    ],
    [
      "POST",
      "",
      { name: "x", target: { selector: "best", quality: 0.9 } },
      "400 invalid_request_error invalid_value target.quality",
    ],
  ])("%s /aliases%s %j", async (method, path, body, expected) => {
    const by = { POST: operator.post, PATCH: operator.patch, DELETE: operator.delete }[method];
    const answer = await by?.(`/aliases${path}`, body);
    const { param } = asObject(answer?.error);
    expect(`${answer && formatLine(answer)} ${param ?? ""}`.trim()).toBe(expected);
  });
});

test.skipIf(BINARY !== undefined)(
  "a stored alias whose model has left the configuration is named in the log",
  async () => {
    const own = await startUnderTest({
      more: (url) =>
        `  Acme: { dialect: openai, keys: [sim-key], base_url: "${url}/openai/v1", models: [{ name: leaving, context: 8192, output: 10 }] }`,
    });
    const made = await createOperator(own).post("/aliases", { name: "team-x", target: "Acme#leaving" });
    expect(made.status).toBe(201);
    const named = () => own.events.filter(({ event }) => event === "alias_unserved");
    expect(named()).toEqual([]);
    const text = await Bun.file(own.configFile).text();
    await Bun.write(own.configFile, text.replace("name: leaving", "name: staying"));
    const after = await own.another();
    expect(named()).toMatchObject([{ level: "warn", name: "team-x", models: ["Acme#leaving"] }]);
    await after.stop();
    await own.stop();
  },
);

test.skipIf(BINARY !== undefined)(
  "a key's entry that is spelt like an alias opens nothing by its name until it is saved again, and the start names it",
  async () => {
    const own = await startUnderTest();
    const { id, secret } = await own.newKey({ allowed_models: ["Team#chat"] });
    const by = createOperator(own);
    await by.post("/aliases", { name: "Team#chat", target: MINI });
    expect((await own.chat(asking("Team#chat"), { secret })).status).toBe(403);
    const after = await own.another();
    expect(own.events.filter(({ event }) => event === "alias_closed")).toMatchObject([
      { level: "warn", name: "Team#chat", keys: [id] },
    ]);
    await by.patch(`/keys/${id}`, { allowed_models: ["Team#chat"] });
    const isOpen = async () => (await own.chat(asking("Team#chat"), { secret })).status === 200;
    await until("the change is known", isOpen, SOON_MS);
    await after.stop();
    await own.stop();
  },
);
