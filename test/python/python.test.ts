// OpenAI's Python SDK against the running gateway. Each check of python_client.py is a test here.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Door, doorTo, PICTURE, PICTURE_SEEN, PLAIN, readStanding } from "../clients/setting.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { until } from "../whole/world/until.ts";
import { type CheckScript, findChecks, runChecks, SCRIPT_MS } from "./checks.ts";

function suite(here: CheckScript): void {
  let results: ReadonlyMap<string, unknown>;
  let under: UnderTest;
  let door: Door;
  let spent: string;
  let before: object;

  beforeAll(async () => {
    // A slot so near that the SDK waits for it by default, which is up to 60 s, and so far that it doesn't come meanwhile.
    under = await startUnderTest({ more: "quota: { throttle: 55s }" });
    door = doorTo(under.url);
    spent = (await under.newKey({ requests_per_day: 1 })).secret;
    const bound = (await under.newKey({ allowed_models: ["OpenAI#gpt-5.4"] })).secret;
    await under.chat({ model: PLAIN, messages: [{ role: "user", content: "say: hi" }] }, { secret: spent });
    before = await readStanding(under.url, spent);
    const { url, secret } = under;
    const shown = { picture: PICTURE, seen: PICTURE_SEEN };
    results = await runChecks(here, { url, secret, door: door.url, spent, bound, ...shown });
  }, SCRIPT_MS);

  afterAll(async () => {
    await door.stop();
    await under.stop();
  });

  test.each(here.checks)("%s", (check) => {
    expect(results.get(check)).toBeNull();
  });

  test("calls at the provider that end with it", async () => {
    const left = () => under.simulator.calls.all().filter(({ model }) => /stall|silent/.test(model));
    await until("the upstream calls' end", () => left().every(({ ended }) => ended === "aborted"));
    expect(left()).toHaveLength(2);
  });

  test("no retries when the allowance is used up, and nothing counted", async () => {
    expect(door.statuses).toEqual([429]);
    expect<object>(await readStanding(under.url, spent)).toEqual(before);
  });
}

const here = findChecks("python_client.py");
if (here) describe("OpenAI's Python SDK has", () => suite(here));
else
  test.skip("OpenAI's Python SDK is not there: pip install -r test/python/requirements.txt into .venv", () => {});
