// A real llama.cpp server whose chat template takes a system message only at the beginning, under the real coding agents,
// which send others too, under each surface, and beside a conversation that it can't take. Claude Code and Codex play here
// always, the others in the long form.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { IS_LONG } from "../harness/long.ts";
import { until } from "../whole/world/until.ts";
import {
  AGENTS,
  type Agent,
  type AgentRun,
  isInstalled,
  PATIENT_MS,
  runAgent,
  untilAgent,
} from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const PYTHON = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const SCRIPT = join(import.meta.dir, "llama_server.py");
/** The only answer of its model. */
const ANSWER = "hi you";

const hasServer = existsSync(PYTHON) && Bun.spawnSync([PYTHON, "-c", "import xllamacpp"]).success;

interface Server {
  readonly url: string;
  stop(): Promise<unknown>;
}

async function startServer(...options: readonly string[]): Promise<Server> {
  const child = Bun.spawn([PYTHON, SCRIPT, ...options], { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  const stop = () => {
    child.kill("SIGKILL");
    return child.exited;
  };
  const decoder = new TextDecoder();
  let printed = "";
  for await (const bytes of child.stdout) {
    printed += decoder.decode(bytes, { stream: true });
    const url = /^(http:\S+)$/m.exec(printed)?.[1];
    if (url !== undefined && printed.includes("\n")) return { url, stop };
  }
  throw new Error(`The server ended: ${printed}`);
}

/** True while it generates an answer. */
async function isBusy({ url }: Server): Promise<boolean> {
  const slots: unknown = await (await fetch(`${url}/slots`)).json();
  return asArray(slots).some((slot) => asObject(slot).is_processing === true);
}

/** The words of each agent about a prompt that is too long. Claude Code and Codex know the words, the others show them. */
const TOO_LONG: Readonly<Record<string, RegExp>> = {
  claude: /Prompt is too long/,
  codex: /context window/,
  gemini: /context|too long|tokens/i,
  opencode: /context|too long|tokens/i,
  qwen: /context|too long|tokens/i,
};
/** The others' own programs take seconds of CPU to start. */
const USUAL: ReadonlySet<string> = new Set(["claude", "codex"]);
const PLAYED = AGENTS.filter(({ name }) => name in TOO_LONG && (IS_LONG || USUAL.has(name)));

describe.skipIf(!hasServer)("llama.cpp with a guarded template", () => {
  let server: Server;
  let small: Server;
  let world: AgentWorld;
  beforeAll(async () => {
    [server, small] = await Promise.all([startServer(), startServer("small")]);
    const row = (name: string, { url }: Server) =>
      `  ${name}: { dialect: openai, base_url: "${url}/v1", unlisted_models: true }`;
    world = await startAgentWorld([row("Llama", server), row("Small", small)].join("\n"));
  });
  afterAll(async () => {
    await world?.stop();
    await server?.stop();
    await small?.stop();
  });

  function makeRun(agent: Agent, provider: string, prompt: string): AgentRun {
    const { url, secret } = world;
    const model = agent.modelName(`${provider}#${agent.name}`);
    return { url, secret, home: world.makeHome(), model, prompt };
  }

  for (const agent of PLAYED) {
    describe.skipIf(!isInstalled(agent))(agent.name, () => {
      test(
        "is answered, and once more in the same conversation",
        async () => {
          const run = makeRun(agent, "Llama", "Say hi.");
          expect(await runAgent(agent, run)).toContain(ANSWER);
          expect(await runAgent(agent, { ...run, prompt: "And again.", goesOn: true })).toContain(ANSWER);
        },
        PATIENT_MS,
      );

      test(
        "that leaves in the middle of an answer ends it at the server",
        async () => {
          const leaving = new AbortController();
          const run = makeRun(agent, "Llama", "Say and-on-and-on");
          const running = runAgent(agent, { ...run, signal: leaving.signal });
          await untilAgent("the server answers", running, () => isBusy(server));
          leaving.abort();
          await running;
          await until("the server is free", async () => !(await isBusy(server)));
        },
        PATIENT_MS,
      );

      test(
        "is told that its prompt is too long",
        async () => {
          const printed = await runAgent(agent, makeRun(agent, "Small", "Say hi."));
          expect(printed).toMatch(TOO_LONG[agent.name] ?? "");
        },
        PATIENT_MS,
      );
    });
  }

  const late = { role: "system", content: "It is noon." };
  const said = { role: "user", content: "Say hi." };
  const bodies: Readonly<Record<string, JsonObject>> = {
    "/v1/chat/completions": { messages: [late, late, said, late] },
    "/v1/messages": { max_tokens: 50, system: "Be brief.", messages: [said, late] },
    "/v1/responses": { instructions: "Be brief.", input: [{ ...late, role: "developer" }, said] },
  };
  test.each(
    Object.entries(bodies).flatMap(([path, body]) => [
      { path, body, stream: false },
      { path, body, stream: true },
    ]),
  )("$path is answered, streamed: $stream", async ({ path, body, stream }) => {
    // Each has a name of its own for the model, so that the gateway hasn't learned from another.
    const model = `Llama${path.replaceAll("/", "-")}-${stream}`.replace("-", "#");
    const response = await fetch(world.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}` },
      body: JSON.stringify({ ...body, model, stream }),
    });
    expect({ status: response.status, text: await response.text() }).toMatchObject({
      status: 200,
      text: expect.stringContaining(stream ? '" you"' : ANSWER),
    });
  });

  test(
    "a conversation that it answers with 500, repeated by one account, leaves all requests of another served",
    async () => {
      // It has no projector for pictures.
      const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
      const failing = [{ role: "user", content: [{ type: "text", text: "Look." }, picture] }];
      expect(await post(server.url, "", { messages: failing })).toBe(500);
      const makeSecret = async () => {
        const account_id = await world.newAccount();
        return (await world.newKey({ account_id, requests_per_day: null })).secret;
      };
      const [one, other] = [await makeSecret(), await makeSecret()];
      const model = "Llama#beside";
      const statuses: number[] = [];
      for (let at = 0; at < 12; at++) {
        const five = Array.from({ length: 5 }, () => post(world.url, one, { model, messages: failing }));
        await Promise.all(five);
        statuses.push(await post(world.url, other, { model, messages: [said] }));
      }
      expect(statuses).toEqual(Array.from({ length: 12 }, () => 200));
    },
    PATIENT_MS,
  );
});

/** Asks for a chat completion. Returns the status. */
async function post(url: string, secret: string, body: JsonObject): Promise<number> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${secret}` };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${url}/v1/chat/completions`, init);
  await response.text();
  return response.status;
}
