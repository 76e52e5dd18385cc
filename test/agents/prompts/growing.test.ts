// Real coding agents over models that bind their thinking to what stood before it: where an agent only adds to a conversation,
// its provider reads what it has read before, and more at the end.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { IS_LONG } from "../../harness/long.ts";
import { readEnd, readFront } from "../../whole/prefix/conversations.ts";
import { AGENTS, type Agent, isInstalled, PATIENT_MS, runAgent, writeCall } from "../agents.ts";
import { type AgentWorld, startAgentWorld } from "../world.ts";

const PLAYED = AGENTS.filter(({ name }) => name !== "cn" && (IS_LONG || name === "opencode"));
const MODELS = ["Anthropic#claude-opus-5-5", "OpenAI#gpt-6.2-sol"];
/** Tells the conversation's requests from an agent's own, such as those for a title. */
const WORD = "the word is zebra";

let world: AgentWorld;
/** The bodies that reached the providers, and how many of them were refused. */
let sent: JsonObject[] = [];
let refused = 0;
const recording: Fetch = async (url, init) => {
  const request = new Request(url, init);
  sent.push(asObject(parseJson(await request.clone().text())));
  const answer = await fetch(request);
  if (!answer.ok) refused++;
  return answer;
};

/** Stands between the agents and the gateway, and has the bodies that the agents sent. */
let asked: JsonObject[] = [];
let relay: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  world = await startAgentWorld(undefined, { fetch: recording });
  relay = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const text = await request.text();
      asked.push(asObject(parseJson(text)));
      headers.delete("host");
      const body = method === "GET" ? {} : { body: text };
      const answer = await fetch(world.url + pathname + search, { method, headers, ...body });
      const kept = new Headers(answer.headers);
      for (const name of ["content-encoding", "content-length"]) kept.delete(name);
      return new Response(answer.body, { status: answer.status, headers: kept });
    },
  });
});
afterAll(async () => {
  console.log(["agent | model | turns | refused | thinking comes back", ...seen].join("\n"));
  await relay.stop(true);
  await world.stop();
});
const seen: string[] = [];

/** The conversation's own requests, which offer tools. */
function listMain(bodies: readonly JsonObject[]): readonly JsonObject[] {
  return bodies.filter((body) => asArray(body.tools).length > 0 && JSON.stringify(body).includes(WORD));
}

/** Everything that is read of a request, in its order. */
function listRead(body: JsonObject): readonly unknown[] {
  const { tools, system, turns } = readFront(body);
  return [tools, system, ...turns, ...readEnd(body)];
}

function grows(before: JsonObject, after: JsonObject): boolean {
  const earlier = listRead(before);
  return Bun.deepEquals(listRead(after).slice(0, earlier.length), earlier);
}

const THOUGHT = /"(signature|thoughtSignature|encrypted_content|reasoning_details|reasoning_content)":/;

async function play(agent: Agent, model: string): Promise<void> {
  const run = {
    url: relay.url.origin,
    secret: world.secret,
    model: agent.modelName(model),
    home: world.makeHome(),
  };
  const steps = ["one", "two", "three"].map((word) =>
    writeCall([agent.tool, agent.input(`printf ${word}-works`)]),
  );
  const lines = [...steps, "say: all-works"].map((step, at) => `step ${at + 1}: ${step}`);
  await runAgent(agent, { ...run, prompt: `${WORD}\n${lines.join("\n")}` });
  await runAgent(agent, { ...run, prompt: `${WORD}\nstep 1: say: and-once-more`, goesOn: true });
}

describe.each(PLAYED.flatMap((agent) => MODELS.map((model) => ({ agent, model, name: agent.name }))))(
  "$name over $model",
  ({ agent, model }) => {
    test.skipIf(!isInstalled(agent))(
      "five turns",
      async () => {
        [sent, asked, refused] = [[], [], 0];
        await play(agent, model);
        const [above, below] = [listMain(sent), listMain(asked)];
        expect(above.length).toBeGreaterThanOrEqual(5);
        expect(above).toHaveLength(below.length);
        const broken = above.flatMap((body, at) => {
          const [earlier, own, earlierOwn] = [above[at - 1], below[at], below[at - 1]];
          if (earlier === undefined || own === undefined || earlierOwn === undefined) return [];
          // The changes that an agent makes itself are its own.
          return grows(earlier, body) || !grows(earlierOwn, own) ? [] : [`turn ${at + 1}`];
        });
        const back = below.some((body) => THOUGHT.test(JSON.stringify(body)));
        seen.push([agent.name, model, above.length, refused, back].join(" | "));
        expect([broken, refused]).toEqual([[], 0]);
      },
      PATIENT_MS,
    );
  },
);
