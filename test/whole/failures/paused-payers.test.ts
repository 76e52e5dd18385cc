// A model that fails at the requests of one account alone: each reader sees that it pauses, and only some for which account.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { runCommandLine } from "../../../src/cli/commands.ts";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import type { TestServer } from "../world/serve.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";
import { askTemplate, PAUSED_MODEL, pauseTemplate, serveTemplate, writeTemplate } from "./paused-model.ts";

let server: TestServer;
let world: UnderTest;
let account = "";
let robot = { id: "", secret: "" };

beforeAll(async () => {
  server = await serveTemplate();
  world = await startUnderTest({ more: writeTemplate(server) });
  account = await world.newAccount("Robots");
  robot = await world.newKey({ name: "Robot", account_id: account, requests_per_day: null });
  await pauseTemplate(world, robot.secret);
  expect(await askTemplate(world, world.secret, "fine")).toBe(200);
});
afterAll(async () => {
  delete process.env.POUNDKEY_TOKEN;
  await world.stop();
  await server.stop();
});

test("a payer whose own requests fail is told so, and others are served", async () => {
  // A text that fails: a good one would end the pause, if it came late enough to test the model.
  const refused = await until("a refusal", async () => {
    const answer = await seen(await world.chat(asking(PAUSED_MODEL, "unreadable"), robot));
    return answer.status === 503 ? answer : null;
  });
  expect(asObject(refused.body.error).message).toBe(
    "Template has been failing at your own requests, so these pause.",
  );
  expect(await askTemplate(world, world.secret, "fine")).toBe(200);
});
afterAll(async () => {
  delete process.env.POUNDKEY_TOKEN;
  await world.stop();
  await server.stop();
});

test("a payer whose own requests fail is told so, and others are served", async () => {
  const refused = await seen(await world.chat(asking(PAUSED_MODEL, "fine"), robot));
  expect(refused.status).toBe(503);
  expect(asObject(refused.body.error).message).toBe(
    "Template has been failing at your own requests, so these pause.",
  );
  expect(await askTemplate(world, world.secret, "fine")).toBe(200);
});

/** Makes a token with a role in all accounts, or in one. */
async function makeToken(role: string, accounts: readonly string[] | null = null): Promise<string> {
  const { body } = await createOperator(world).post("/tokens", { name: role, role, accounts });
  return String(asObject(body).secret);
}

async function readAs(role: string): Promise<JsonObject> {
  const reader = createOperator({ url: world.url, adminToken: await makeToken(role) });
  const { body: list } = await reader.get("/providers");
  return asObject(asArray(list.data).find((row) => asObject(row).name === "Template"));
}

test.each(["viewer", "manager", "billing", "operator", "admin"])(
  "%s: reads that the model pauses for some, and only operators and admins read for whom",
  async (role) => {
    const provider = await readAs(role);
    const open_payers = ["operator", "admin"].includes(role)
      ? [{ account_id: account, member_id: null, key_id: robot.id }]
      : [];
    const paused = { breaker: "closed", open_for: "some", open_payers };
    expect(provider).toMatchObject({ ...paused, models: [{ id: PAUSED_MODEL, ...paused }] });
  },
);

test("the model's open breaker is counted for its payer alone, and neither problems nor /readyz tell of it", async () => {
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  expect(metrics).toContain(`poundkey_breaker_open{model="${PAUSED_MODEL}"} 0\n`);
  expect(metrics).toContain(`poundkey_breaker_open_payers{model="${PAUSED_MODEL}"} 1\n`);
  const { body } = await createOperator(world).get("/problems");
  expect(asArray(body.data)).toEqual([]);
  expect(await (await fetch(`${world.url}/readyz`)).json()).not.toHaveProperty("problems");
});

test("`poundkey providers` names the model that pauses, and for whom to those who may know", async () => {
  const run = async (token: string) => {
    process.env.POUNDKEY_TOKEN = token;
    const { code, err } = await runPrinting((io) =>
      runCommandLine(["providers", "--gateway", world.url], io),
    );
    expect(code).toBe(0);
    return err;
  };
  const paused = `${PAUSED_MODEL} is paused for some, whose own requests failed`;
  expect(await run(world.adminToken)).toBe(`${paused}: Robot in Robots.`);
  expect(await run(await makeToken("viewer"))).toBe(`${paused}.`);
  expect(await run(await makeToken("viewer", [account]))).toBe("");
});
