// Kept interactions of a gateway that is killed while it answers: each is kept whole with its own history, or isn't there.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { IS_LONG } from "../harness/long.ts";
import { PROGRAM } from "../harness/program.ts";
import { foldEvents, listEvents } from "../surfaces/interactions/interactions-read.ts";
import { until } from "../whole/world/until.ts";
import { startVictim } from "./process.ts";
import { type KillWorld, MODELS, newKillWorld } from "./world.ts";

const KILLS = IS_LONG ? 50 : 3;
const CHAINS = 6;
const TEST_MS = IS_LONG ? 1_800_000 : 300_000;

/** An interaction that began, with the texts that were said before it and in it. */
interface Begun {
  readonly id: string;
  readonly said: readonly string[];
  /** True if its last event came. */
  readonly isWhole: boolean;
}

let world: KillWorld;
beforeAll(async () => {
  world = await newKillWorld();
  appendFileSync(join(world.directory, "poundkey.yaml"), "responses: { keep: 30d }\n");
});
afterAll(() => world.stop({ keep: false }));

const headers = () => ({
  authorization: `Bearer ${world.secrets.free}`,
  "content-type": "application/json",
});

/** Goes on by id, turn after turn, until the gateway is gone. */
async function chain(url: string, name: string, begun: Begun[]): Promise<void> {
  let before: Begun | null = null;
  for (let turn = 1; ; turn++) {
    const text = `${name} turn ${turn} of a chain`;
    const said: readonly string[] = [...(before?.said ?? []), text];
    const body = {
      model: `Own#${turn % 2 === 0 ? MODELS.quick : MODELS.slow}`,
      input: `say: ${text}`,
      stream: true,
      ...(before ? { previous_interaction_id: before.id } : {}),
    };
    const read = await readUntilGone(url, body);
    const events = listEvents(read);
    const id = asObject(events[0]?.interaction).id;
    if (id === undefined) return;
    const isWhole = events.at(-1)?.event_type === "interaction.completed";
    before = { id: String(id), said, isWhole };
    begun.push(before);
    if (!isWhole) return;
    expect(readText(foldEvents(events))).toBe(text);
  }
}

/** Returns what came of the answer. */
async function readUntilGone(url: string, body: JsonObject): Promise<string> {
  let read = "";
  try {
    const init = { method: "POST", headers: headers(), body: JSON.stringify(body) };
    const response = await fetch(`${url}/v1/interactions`, init);
    const decoder = new TextDecoder();
    if (response.body)
      for await (const bytes of response.body) read += decoder.decode(bytes, { stream: true });
  } catch {
    // The gateway was killed.
  }
  return read.slice(0, read.lastIndexOf("\n\n") + 2);
}

function readText({ steps }: JsonObject): string {
  const contents = asArray(steps).map(asObject);
  const output = contents.filter(({ type }) => type === "model_output");
  return output.flatMap(({ content }) => asArray(content).map((one) => asObject(one).text)).join("");
}

/** Checks an interaction of a dead process. Returns whether it is kept. */
async function judge(url: string, { id, said }: Begun): Promise<boolean> {
  const response = await fetch(`${url}/v1/interactions/${id}`, { headers: headers() });
  const kept = asObject(parseJson(await response.text()));
  const body = { model: `Own#${MODELS.quick}`, input: "say: on", previous_interaction_id: id };
  const init = { method: "POST", headers: headers(), body: JSON.stringify(body) };
  const next = await fetch(`${url}/v1/interactions`, init);
  await next.text();
  if (response.status === 404) {
    expect(next.status).toBe(400);
    return false;
  }
  expect({ status: kept.status, text: readText(kept) }).toEqual({
    status: "completed",
    text: said.at(-1) ?? "",
  });
  expect(next.status).toBe(200);
  const sent = asArray(asObject(world.simulator.calls.last()?.body).messages).map(asObject);
  const asked = sent.filter(({ role }) => role === "user").map(({ content }) => content);
  expect(asked).toEqual([...said.map((text) => `say: ${text}`), "say: on"]);
  return true;
}

test(
  `${KILLS} kills: what was answered whole is kept whole, with its own history, and nothing is half there`,
  async () => {
    const begun: Begun[] = [];
    let kept = 0;
    for (let kill = 0; kill <= KILLS; kill++) {
      const victim = startVictim(PROGRAM, world.directory);
      const url = await victim.listens;
      for (const one of begun.splice(0)) {
        const isKept = await judge(url, one);
        if (one.isWhole) expect(isKept).toBe(true);
        if (isKept) kept++;
      }
      const chains = Array.from({ length: CHAINS }, (_, at) => chain(url, `${kill}-${at}`, begun));
      await until("each chain goes on by id", () => begun.length >= 3 * CHAINS);
      await Bun.sleep((kill * 37) % 100);
      victim.signal("SIGKILL");
      await Promise.all([victim.exited, ...chains]);
    }
    expect(kept).toBeGreaterThan(KILLS * CHAINS);
  },
  TEST_MS,
);
