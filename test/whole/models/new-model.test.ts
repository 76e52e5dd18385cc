// From a started gateway to an answer of a model that it has never heard of, by the manual's three commands and without a restart.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { asObject } from "../../../src/core/json/json.ts";
import { readDocument } from "../../docs/documents.ts";
import { newPlace, type Place, type Serving, startServe } from "../../harness/serve-process.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { until } from "../world/until.ts";

const ADMIN = "admin-token-of-the-tests";
let simulator: Simulator;
let place: Place;
let serving: Serving;

beforeAll(async () => {
  simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
  place = newPlace(`server: { port: 0, admin_token: ${ADMIN} }\nstore: "sqlite:poundkey.db"\n`);
});
afterAll(async () => {
  serving.end();
  await serving.exited;
  await simulator.stop();
  place.remove();
});

/** The commands of the section, each with the lines that go on. */
function readCommands(): readonly string[] {
  const [, section = ""] = readDocument("src/docs/new-models.md").split("## Names that no list has");
  const [, block = ""] = /```bash\n([\s\S]*?)```/.exec(section) ?? [];
  return block.replaceAll("\\\n", "").trim().split("\n");
}

async function run(command: string): Promise<string> {
  const child = Bun.spawn(["sh", "-c", command], { cwd: place.directory, stdout: "pipe", stderr: "ignore" });
  return await new Response(child.stdout).text();
}

test("the manual's three commands end in an answer, and the gateway isn't started again", async () => {
  const commands = readCommands();
  expect(commands.length).toBeLessThanOrEqual(3);
  const [start = "", change = "", ask = ""] = commands;
  expect(start).toEndWith("poundkey serve");
  serving = startServe({
    ...place,
    env: { PATH: process.env.PATH ?? "", OPENAI_API_KEY: "sk-test", HOME: place.directory },
  });
  const url = await serving.listens();
  const made = await fetch(`${url}/admin/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "a" }),
  });
  const { secret } = asObject(await made.json());
  const filled = ask
    .replace("https://llm.example.com", url)
    .replace("$POUNDKEY_KEY", String(secret))
    .replace("curl ", "curl --silent ");
  const answer = () => run(filled);
  expect(asObject(JSON.parse(await answer())).error).toMatchObject({
    code: "model_not_found",
    message: expect.stringMatching(
      /^The model 'OpenAI#gpt-7-sol' isn't in this gateway's catalogue \(prices of 20\d\d-\d\d-\d\d\)\. If it is newer, the operator can add it: poundkey catalogue update, a watched list, or unlisted_models\./,
    ),
  });
  // The test's OpenAI is simulated.
  await run(change.replace("OpenAI: { ", `OpenAI: { base_url: "${simulator.url}/openai/v1", `));
  expect(readFileSync(join(place.directory, "poundkey.yaml"), "utf8")).toContain("price: family");
  const answered = await until("it answers", async () => {
    const body = asObject(JSON.parse(await answer()));
    return body.choices === undefined ? null : body;
  });
  expect(answered.model).toBe("OpenAI#gpt-7-sol");
});
