// Long sessions of the coding agents where the gateway chooses the model, or a server's template is guarded: selectors and a
// group whose models refuse different things that the agents send, with failures that move a session from one family to
// another and back. Twenty-five sessions take minutes, so all but one belong to the long form.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { IS_LONG } from "../harness/long.ts";
import { type Agent, isInstalled } from "./agents.ts";
import { inTurn, LONG_RUNNING, PATIENT_MS, playSession } from "./sessions.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

/** Claude Haiku refuses an effort and adaptive thinking, GPT a temperature. Both take pictures and search. */
const CHOSEN = ["Anthropic#claude-haiku-4-5", "OpenAI#gpt-5.6-sol"];
/** Its template takes a system message only at the beginning. */
const GUARDED = "Local#qwen3.6-27b";
const IDS = ["Router#best", "Router#fair", "Router#light", "both", GUARDED];
/** Every third call to a provider finds it busy. */
const BUSY_EVERY = 3;

/** Gemini CLI searches with a model of its own, whose name an alias leads to a selector, as its page in the manual says. */
const ALIASES = `aliases:
  "gemini-*": "Router#best"
  both: [{ model: "${CHOSEN[0]}", weight: 1 }, { model: "${CHOSEN[1]}", weight: 1 }]`;

let calls = 0;
async function failOften(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const isChosen = pathname.startsWith("/anthropic/") || pathname.startsWith("/openai/v1/responses");
  if (!isChosen || ++calls % BUSY_EVERY !== 0) return fetch(input, init);
  return Response.json({ error: { type: "overloaded_error", message: "Overloaded" } }, { status: 529 });
}

let under: AgentWorld;
let secret: string;
const seen: string[] = [];
beforeAll(async () => {
  under = await startAgentWorld(ALIASES, { fetch: failOften });
  secret = (await under.newKey({ allowed_models: ["Router#*", ...CHOSEN], requests_per_day: null })).secret;
});
afterAll(() => {
  console.log(["agent | model | calls | seconds", ...seen].join("\n"));
  return under.stop();
});

/** Gemini CLI names models in its URL. */
function nameModel({ name, modelName }: Agent, id: string): string {
  return name === "gemini" ? id.replace("#", "/") : modelName(id);
}

for (const agent of LONG_RUNNING) {
  const ids = IS_LONG ? IDS : IDS.filter((id) => id === "both" && agent.name === "codex");
  describe.skipIf(!isInstalled(agent) || ids.length === 0)(agent.name, () => {
    test.concurrent.each(ids)(
      "twelve steps over %s",
      (id) =>
        inTurn(async () => {
          const isChosen = id !== GUARDED;
          const model = nameModel(agent, id);
          const own = isChosen ? secret : under.secret;
          const { line, models } = await playSession(under, {
            agent,
            id,
            model,
            secret: own,
            searches: isChosen,
            mayBeBusy: isChosen,
          });
          seen.push(line);
          if (id === "both") expect(new Set(models).size).toBe(CHOSEN.length);
        }),
      PATIENT_MS,
    );
  });
}
