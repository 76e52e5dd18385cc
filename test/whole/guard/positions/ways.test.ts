// The positions of texts by the other ways in: streamed, on a WebSocket, and as the lines of a batch.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type OpenAI from "openai";
import { IS_LONG, sampleRows } from "../../../harness/long.ts";
import { SocketClient } from "../../../http/sockets/client.ts";
import { createBatch, makeClients, readLines, waitForEnd } from "../../batches/batch-bench.ts";
import { isSealed, listFaults } from "./judged.ts";
import { findRepeated, listProviders, makeRequest, readBack, send } from "./sent.ts";
import { ACTIONS, CANARY, listCanaries, listHidden, makeValue } from "./values.ts";
import { JUDGED, type JudgedBody } from "./verdicts.ts";
import { type PositionWorld, startPositions } from "./world.ts";

let own: PositionWorld;
beforeAll(async () => {
  own = await startPositions();
});
afterAll(() => own.world.stop());

/** Those of whole requests are all in `whole.test.ts`. */
const SAMPLE = 5;

function listTexts({ positions }: JudgedBody) {
  return sampleRows(
    positions.filter(({ verdict }) => verdict === "text"),
    SAMPLE,
  );
}

/** All actions in the long form, else one: the next position has the next one. */
const listActions = (at: number) => sampleRows(ACTIONS, ACTIONS.length, at);

const find = (path: string) => {
  const judged = JUDGED.find(({ body }) => body.path === path);
  if (!judged) throw new Error(`There is no body for ${path}.`);
  return judged;
};

const STREAMED = ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/interactions"];
STREAMED.push("/v1beta/models/{model}:generateContent", "/v1/completions");

test.each(STREAMED)(
  "%s: each text of a streamed request is found and hidden wherever a provider gets it",
  async (path) => {
    const judged = find(path);
    const wrongly: string[] = [];
    let sent = 0;
    let back = 0;
    for (const [at, position] of listTexts(judged).entries()) {
      for (const provider of listProviders(judged.body)) {
        for (const action of listActions(at)) {
          const body = makeRequest(judged.body, position, provider);
          const outcome = await send(own, path, body, { provider, action, isStream: true });
          sent += outcome.sent.length + outcome.hidden.length;
          back += outcome.back?.length ?? 0;
          wrongly.push(...listFaults(position, [outcome]));
        }
      }
    }
    expect(wrongly).toEqual([]);
    expect(sent).toBeGreaterThan(0);
    if (IS_LONG) expect(back).toBeGreaterThan(0);
  },
);

test("each text of a request on a WebSocket is found and hidden wherever a provider gets it", async () => {
  const judged = find("/v1/responses");
  const wrongly: string[] = [];
  let sent = 0;
  const open = ACTIONS.map(
    async (action) => [action, await new SocketClient(own.world.url, own.secrets[action]).open()] as const,
  );
  const sockets = new Map(await Promise.all(open));
  for (const [at, position] of listTexts(judged).entries()) {
    for (const provider of listProviders(judged.body)) {
      for (const action of listActions(at)) {
        own.world.simulator.reset();
        const body = { ...makeRequest(judged.body, position, provider), store: false };
        const frames = JSON.stringify(await sockets.get(action)?.create(body));
        const outcome = { provider, action, ...readOutcome(frames) };
        sent += outcome.sent.length + outcome.hidden.length;
        wrongly.push(...listFaults(position, [outcome]));
      }
    }
  }
  for (const socket of sockets.values()) socket.close();
  expect(wrongly).toEqual([]);
  expect(sent).toBeGreaterThan(10);
});

/** The texts of frames stand in JSON as those of events do. */
function readOutcome(frames: string) {
  const found = own.readFound();
  const calls = JSON.stringify(own.world.simulator.calls.all().map(({ body }) => body));
  return {
    status: 200,
    isRefused: found === null,
    found: found ?? [],
    sent: listCanaries(calls),
    hidden: listHidden(calls),
    back: readBack(frames),
    blocked: null,
  };
}

const LINES = ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/embeddings"] as const;
const BATCHES = LINES.flatMap((path, at) => listActions(at).map((action) => [path, action] as const));

test.each(BATCHES)(
  "%s: each text of a batch's line is found and hidden wherever a provider gets it: %s",
  async (path, action) => {
    const judged = find(path);
    own.numbered.clear();
    own.world.simulator.reset();
    // Base64 hides the number.
    const texts = listTexts(judged).filter((position) =>
      JSON.stringify(makeValue(position).value).includes(CANARY),
    );
    const lines = texts.map((position, at) => {
      const [provider = ""] = listProviders(judged.body);
      const body = makeRequest(judged.body, position, provider);
      const line = { custom_id: `${at}`, method: "POST", url: path, body };
      return JSON.stringify(line).replaceAll(CANARY, number(at));
    });
    const { openai } = makeClients(own.world.url, own.secrets[action]);
    // The SDK doesn't know all endpoints that are served.
    const batch = await waitForEnd(
      openai,
      await createBatch(openai, lines, { endpoint: path as "/v1/responses" }),
    );
    const bodies = own.world.simulator.calls.all().map(({ body }) => JSON.stringify(body));
    const results = await readResults(openai, [batch.output_file_id, batch.error_file_id]);
    const isSent = (at: number) => bodies.some((body) => body.includes(number(at)));
    const wrongly = texts.filter(
      (position, at) =>
        isSent(at) && !(action === "report" ? own.numbered.get(at)?.includes("email") : isSealed(position)),
    );
    expect(wrongly.map(({ id }) => id)).toEqual([]);
    const blocked = results.filter((line) => line.includes("content_blocked"));
    const taken = action === "refuse" ? blocked : bodies;
    expect(taken.length).toBeGreaterThan(texts.length / 2);
    const back = results.filter((line) => findRepeated(line)?.includes("canary-"));
    expect(back.length > 0).toBe(action === "swap" && path !== "/v1/embeddings");
  },
);

async function readResults(
  openai: OpenAI,
  ids: readonly (string | null | undefined)[],
): Promise<readonly string[]> {
  const lines = await Promise.all(ids.map((id) => readLines(openai, id)));
  return lines.flat().map((line) => JSON.stringify(line));
}

const number = (at: number) => CANARY.replace("@", `-${at}@`);
