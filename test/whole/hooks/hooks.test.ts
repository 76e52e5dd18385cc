// Hooks over HTTP, on every chat surface, translated and native, whole and streamed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { nameWay, readWords, WAYS } from "../../steps/asked.ts";
import { HIDDEN } from "../../steps/hooks/server.ts";
import { type HookWorld, startHookWorld } from "../../steps/hooks/world.ts";

let own: HookWorld;
beforeAll(async () => {
  own = await startHookWorld(["name: both, at: [request, answer], secret: hook-secret"]);
});
afterAll(() => own.stop());
beforeEach(() => own.reset());

describe.each(WAYS.map((way) => [nameWay(way), way] as const))("%s", (_name, way) => {
  test("a word is hidden from the provider and shown again", async () => {
    const got = await own.ask(way, `say: a canary${way.surface} sings`);
    expect([got.status, readWords(got)]).toEqual([200, "a canary sings"]);
    expect(own.sent()).toContain(HIDDEN);
    expect(own.sent()).not.toContain("canary");
    const [asked, answered] = own.hook.calls;
    expect(asked?.path).toBe("/beta/litellm_basic_guardrail_api");
    expect(asked?.body).toMatchObject({ input_type: "request" });
    expect(answered?.body).toMatchObject({ input_type: "response" });
    expect(answered?.body.texts).toContain(`a ${HIDDEN} sings`);
    expect(answered?.body.litellm_call_id).toBe(asked?.body.litellm_call_id);
    await own.untilNothingIsHeld();
  });

  test("neither the key nor any header of the client's is sent along", async () => {
    await own.ask(way, `say: hello from ${nameWay(way)}`);
    const [asked] = own.hook.calls;
    expect(asked?.headers.authorization).toBe("Bearer hook-secret");
    const all = JSON.stringify([asked?.headers, asked?.text]);
    expect(all).not.toContain(own.world.secret);
    expect(all).not.toContain("of the client");
    const { request_data: data, ...rest } = asObject(asked?.body);
    expect(asObject(data).user_api_key_hash).toMatch(/^key_/);
    expect(JSON.stringify(rest)).not.toMatch(/key_|chatcmpl|msg_|resp_|gen_|req_/);
  });

  test("a request that is refused reaches no provider and costs nothing", async () => {
    const got = await own.ask(way, "say: forbidden");
    expect([got.status, own.world.simulator.calls.total]).toEqual([400, 0]);
    const { error } = asObject(JSON.parse(got.text));
    expect(String(asObject(error).reason)).toMatch(/^No such words, please/);
    expect(String(asObject(error).reason)).toHaveLength(300);
    const refused = { status: 400, error_code: "content_blocked", ended: "refused", cost_usd: 0 };
    expect(await own.readRow()).toMatchObject(refused);
    await own.untilNothingIsHeld();
  });

  test("an answer that is refused is paid for and not shown", async () => {
    const got = await own.ask(way, "say: a poison", { model: "sim~pace=20" });
    expect(got.text).toContain("No such words");
    expect(got.text).not.toContain("poison");
    expect(own.world.simulator.calls.total).toBe(1);
    const row = await own.readRow();
    expect(row).toMatchObject({ error_code: "content_blocked", ended: "broken_off", attempts: 1 });
    expect(row.usage_source).toBeOneOf(["provider", "estimate"]);
    await own.untilNothingIsHeld();
  });
});
