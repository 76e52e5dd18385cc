// A real llama.cpp server whose chat template takes a system message only at the beginning, under the real Claude Code
// and Codex, which send others too, and under each surface.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/core/json/json.ts";
import { AGENTS, isInstalled, runAgent } from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const PYTHON = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const SCRIPT = join(import.meta.dir, "llama_server.py");
/** The only answer of its model. */
const ANSWER = "hi you";
const PATIENT_MS = 300_000;

const hasServer = existsSync(PYTHON) && Bun.spawnSync([PYTHON, "-c", "import xllamacpp"]).success;

interface Server {
  readonly url: string;
  stop(): Promise<unknown>;
}

async function startServer(): Promise<Server> {
  const child = Bun.spawn([PYTHON, SCRIPT], { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
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

describe.skipIf(!hasServer)("llama.cpp with a guarded template", () => {
  let server: Server;
  let world: AgentWorld;
  beforeAll(async () => {
    server = await startServer();
    const row = `  Llama: { dialect: openai, base_url: "${server.url}/v1", unlisted_models: true }`;
    world = await startAgentWorld(() => row);
  });
  afterAll(async () => {
    await world?.stop();
    await server?.stop();
  });

  for (const agent of AGENTS.filter(({ name }) => name === "claude" || name === "codex")) {
    test.skipIf(!isInstalled(agent))(
      `${agent.name} is answered`,
      async () => {
        const { url, secret } = world;
        const home = world.makeHome();
        const printed = await runAgent(agent, {
          url,
          secret,
          home,
          model: `Llama#${agent.name}`,
          prompt: "Say hi.",
        });
        expect(printed).toContain(ANSWER);
      },
      PATIENT_MS,
    );
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
});
