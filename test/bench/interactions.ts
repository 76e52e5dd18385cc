// The cost of interactions beside the surfaces that they resemble: `bun test/bench/interactions.ts`, in a process of the sources, or of
// the binary in POUNDKEY_BINARY. Prints ratios of CPU in pairs: whole answers and streams against generateContent, and a turn
// by id with 200 kB of history against one with `previous_response_id`.
import { appendFileSync } from "node:fs";
import { asObject, type JsonObject } from "../../src/core/json/json.ts";
import { PROGRAM } from "../harness/program.ts";
import { startVictim } from "../kill/process.ts";
import { newKillWorld } from "../kill/world.ts";
import { until } from "../whole/world/until.ts";
import { spread } from "./figures.ts";
import { cpuMicros } from "./processes.ts";

const PAIRS = 10;
const WARM = 3;
const AT_ONCE = 8;
const MODEL = "Own#sim-mini";
const HISTORY_BYTES = 200_000;
const WORDS = "word ".repeat(200).trim();

const world = await newKillWorld();
appendFileSync(`${world.directory}/poundkey.yaml`, "responses: { keep: 30d }\n");
const victim = startVictim(PROGRAM, world.directory);
const url = await victim.listens;
await until("it is ready", async () => (await fetch(`${url}/readyz`)).ok);

async function post(path: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${world.secrets.free}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}

type Work = () => Promise<unknown>;

/** The CPU of the gateway's process for so many of them. */
async function measureCpu(work: Work, times: number): Promise<number> {
  const before = cpuMicros(victim.pid);
  for (let done = 0; done < times; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, work));
  return cpuMicros(victim.pid) - before;
}

/** Both by turns, so that both meet the same noise. */
async function compare(says: string, times: number, interaction: Work, other: Work): Promise<void> {
  const ratios: number[] = [];
  for (let pair = -WARM; pair < PAIRS; pair++) {
    const own = await measureCpu(interaction, times);
    const ratio = own / (await measureCpu(other, times));
    if (pair >= 0) ratios.push(ratio);
  }
  process.stdout.write(`${says}: ${spread(ratios)}\n`);
}

const gemini = (method: string) => `/v1beta/models/${encodeURIComponent(MODEL)}:${method}`;
const contents = [{ role: "user", parts: [{ text: `say: ${WORDS}` }] }];
const asked = { model: MODEL, input: `say: ${WORDS}`, store: false };

await compare(
  "a whole answer, of generateContent's CPU",
  400,
  () => post("/v1/interactions", asked),
  () => post(gemini("generateContent"), { contents }),
);
await compare(
  "a stream of 200 chunks, of streamGenerateContent's CPU",
  80,
  () => post("/v1/interactions", { ...asked, stream: true }),
  () => post(`${gemini("streamGenerateContent")}?alt=sse`, { contents }),
);

const history = `say: ok ${"word ".repeat(HISTORY_BYTES / 5)}`;
const readId = (text: string): JsonObject => asObject(JSON.parse(text));
const { id: interactionId } = readId(await post("/v1/interactions", { model: MODEL, input: history }));
const { id: responseId } = readId(await post("/v1/responses", { model: MODEL, input: history }));
await compare(
  "a turn by id with 200 kB of history, of previous_response_id's CPU",
  80,
  () =>
    post("/v1/interactions", {
      model: MODEL,
      input: "say: on",
      previous_interaction_id: interactionId,
      store: false,
    }),
  () =>
    post("/v1/responses", { model: MODEL, input: "say: on", previous_response_id: responseId, store: false }),
);

victim.signal("SIGTERM");
await victim.exited;
await world.stop({ keep: false });
