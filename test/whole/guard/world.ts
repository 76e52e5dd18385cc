// A gateway with rules of the guard, and what it found in each request, as a step behind the guard sees it.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { GuardFinding } from "../../../src/core/models/guard.ts";
import type { Call } from "../../../src/gateway/call.ts";
import type { Step } from "../../../src/gateway/step.ts";
import type { Form } from "../../../src/operations/form.ts";
import { type Setup, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { type Got, makeRequest, type Way } from "../../steps/asked.ts";
import { until } from "../world/until.ts";

export interface Guarded {
  /** By detector, place and rule: how many different values. */
  readonly findings: readonly string[];
  readonly times: Call<Form>["guardMs"];
}

export interface GuardWorld {
  readonly world: UnderTest;
  post(path: string, body: JsonObject, secret?: string): Promise<Got>;
  /** Asks, and returns what the guard found once the request is over. */
  look(path: string, body: JsonObject, secret?: string): Promise<Guarded & { readonly status: number }>;
  ask(way: Way, prompt: string, secret?: string): Promise<Guarded & { readonly status: number }>;
  stop(): Promise<void>;
}

/** Returns a step that stands behind the guard, and what was found in each request that has ended. */
export function watchFindings(): { readonly step: Step; readonly ended: Guarded[] } {
  const ended: Guarded[] = [];
  const step: Step = {
    before: () => null,
    around: () => null,
    ended: ({ guard, guardMs }) => {
      ended.push({ findings: (guard ?? []).map(describe), times: guardMs });
    },
  };
  return { step, ended };
}

export async function startGuardWorld(more: string, setup: Omit<Setup, "more"> = {}): Promise<GuardWorld> {
  const { step, ended } = watchFindings();
  const world = await startUnderTest({ ...setup, more, steps: [step] });
  const post = async (path: string, body: JsonObject, secret = world.secret): Promise<Got> => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${secret}` };
    const response = await fetch(world.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const look = async (path: string, body: JsonObject, secret?: string) => {
    ended.length = 0;
    const { status } = await post(path, body, secret);
    await until("the request is over", () => ended.length > 0);
    return { status, findings: [], times: undefined, ...ended[0] };
  };
  return {
    world,
    post,
    look,
    ask: (way, prompt, secret) => look(...makeRequest(way, prompt), secret),
    stop: () => world.stop(),
  };
}

function describe({ detector, action, at, count, rule }: GuardFinding): string {
  return `${count} ${detector} at ${at}: ${action} by ${rule}`;
}
