// The positions of texts by the other ways in: streamed, on a WebSocket, and as the lines of a batch.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sampleRows } from "../../harness/long.ts";
import { SocketClient } from "../../http/sockets/client.ts";
import { createBatch, makeClients, waitForEnd } from "../batches/batch-bench.ts";
import { CANARY, listProviders, makeRequest, makeValue, send } from "./positions-sent.ts";
import { JUDGED, type JudgedBody } from "./positions-verdicts.ts";
import { type PositionWorld, startPositions } from "./positions-world.ts";

let own: PositionWorld;
beforeAll(async () => {
  own = await startPositions();
});
afterAll(() => own.world.stop());

/** Those of whole requests are all in `positions.test.ts`. */
const SAMPLE = 5;

function listTexts({ positions }: JudgedBody) {
  return sampleRows(
    positions.filter(({ verdict }) => verdict === "text"),
    SAMPLE,
  );
}

const find = (path: string) => {
  const judged = JUDGED.find(({ body }) => body.path === path);
  if (!judged) throw new Error(`There is no body for ${path}.`);
  return judged;
};

const STREAMED = ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/interactions"];
STREAMED.push("/v1beta/models/{model}:generateContent", "/v1/completions");

test.each(STREAMED)(
  "%s: each text of a streamed request is found wherever a provider gets it",
  async (path) => {
    const judged = find(path);
    const missed: string[] = [];
    let sent = 0;
    for (const position of listTexts(judged)) {
      for (const provider of listProviders(judged.body)) {
        const body = makeRequest(judged.body, position, provider);
        const outcome = await send(own.world, path, body, provider, own.readFound, true);
        sent += outcome.sent.length;
        if (outcome.sent.some((one) => !outcome.found.includes(one)))
          missed.push(`${position.id} on ${provider}`);
      }
    }
    expect(missed).toEqual([]);
    expect(sent).toBeGreaterThan(0);
  },
);

test("each text of a request on a WebSocket is found wherever a provider gets it", async () => {
  const judged = find("/v1/responses");
  const missed: string[] = [];
  let sent = 0;
  const socket = await new SocketClient(own.world.url, own.world.secret).open();
  for (const position of listTexts(judged)) {
    for (const provider of listProviders(judged.body)) {
      own.world.simulator.reset();
      await socket.create({ ...makeRequest(judged.body, position, provider), store: false });
      const found = own.readFound() ?? [];
      const isSent = JSON.stringify(own.world.simulator.calls.all().map(({ body }) => body)).includes(CANARY);
      if (isSent) sent++;
      if (isSent && !found.includes("email")) missed.push(`${position.id} on ${provider}`);
    }
  }
  socket.close();
  expect(missed).toEqual([]);
  expect(sent).toBeGreaterThan(10);
});

const LINES = ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/embeddings"] as const;

test.each(LINES)("%s: each text of a batch's line is found wherever a provider gets it", async (path) => {
  const judged = find(path);
  own.numbered.clear();
  own.world.simulator.reset();
  // Base64 hides the number.
  const texts = listTexts(judged).filter((position) =>
    JSON.stringify(makeValue(position).value).includes(CANARY),
  );
  const lines = texts.map((position, at) => {
    const [provider = ""] = listProviders(judged.body);
    const line = {
      custom_id: `${at}`,
      method: "POST",
      url: path,
      body: makeRequest(judged.body, position, provider),
    };
    return JSON.stringify(line).replaceAll(CANARY, CANARY.replace("@", `-${at}@`));
  });
  const { openai } = makeClients(own.world.url, own.world.secret);
  // The SDK doesn't know all endpoints that are served.
  await waitForEnd(openai, await createBatch(openai, lines, { endpoint: path as "/v1/responses" }));
  const bodies = JSON.stringify(own.world.simulator.calls.all().map(({ body }) => body));
  const isSent = (at: number) => bodies.includes(CANARY.replace("@", `-${at}@`));
  const missed = texts.filter((_, at) => isSent(at) && !own.numbered.get(at)?.includes("email"));
  expect(missed.map(({ id }) => id)).toEqual([]);
  expect(texts.filter((_, at) => isSent(at)).length).toBeGreaterThan(texts.length / 2);
});
