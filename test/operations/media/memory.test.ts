// The memory that a large picture takes in a real process, and its unchanged arrival.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { streamPieces } from "../../../src/http/serve/direct.ts";
import { LONG_MS, newPlace, type Place, type Serving, startServe } from "../../harness/serve-process.ts";
import { serveHttp, type TestServer } from "../../whole/world/serve.ts";
import { makeForm } from "./world.ts";

const MEGABYTE = 1024 * 1024;
const PICTURE_BYTES = 15 * MEGABYTE;
/** CHANGELOG: an answer with a picture of 20 MB in base64 takes no more than this. */
const MORE_MEGABYTES = 60;
const ROUNDS = 4;
const WARMING = 30;
const ADMIN_TOKEN = "admin-token-of-the-tests";

/** No two parts are alike, so that a misplaced one would show. */
const PICTURE = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)));
const PARTS = Array.from({ length: PICTURE_BYTES / 49_152 }, (_, at) => {
  PICTURE.writeUInt32LE(at, 0);
  return PICTURE.subarray(0, 49_152).toString("base64");
});
const SMALL = ["aGVsbG8="];

/** The model's name selects the form of the answer: `told` has its length, `untold` doesn't. */
async function startPictures(): Promise<TestServer> {
  return serveHttp(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const asked = Buffer.concat(parts).toString("latin1");
    const base64 = asked.includes("small") ? SMALL : PARTS;
    const head = '{"created":1,"data":[{"b64_json":"';
    const tail = '"}]}';
    const length = head.length + tail.length + base64.reduce((sum, one) => sum + one.length, 0);
    const told = asked.includes("untold") ? {} : { "content-length": length };
    response.writeHead(200, { "content-type": "application/json", ...told });
    for (const part of [head, ...base64, tail]) response.write(part);
    response.end();
  });
}

function readMegabytes(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
}

let upstream: TestServer;
let place: Place;
let serving: Serving;
let ask: (path: string, body: object | FormData) => Promise<Response>;

beforeAll(async () => {
  upstream = await startPictures();
  const models = ["told", "untold", "small"].map(
    (name) => `      - { name: ${name}, operations: [images], price: { per_image: 0.04 } }`,
  );
  place = newPlace(
    [
      `server: { port: 0, admin_token: "${ADMIN_TOKEN}" }`,
      "store: sqlite:poundkey.db",
      "providers:",
      `  Studio:\n    dialect: openai\n    keys: [k]\n    base_url: "${upstream.url}"\n    models:`,
      ...models,
    ].join("\n"),
  );
  serving = startServe(place);
  const url = await serving.listens();
  const made = await fetch(`${url}/admin/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "pictures", requests_per_day: null }),
  });
  const { secret } = (await made.json()) as { secret: string };
  ask = (path, body) =>
    fetch(`${url}/v1/images/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
  for (let at = 0; at < WARMING; at++) {
    await (await ask("generations", { model: "Studio#small", prompt: "x" })).text();
  }
}, LONG_MS);
afterAll(async () => {
  serving.end();
  await serving.exited;
  place.remove();
  await upstream.stop();
});

/** Reads the answer part by part and drops what has been compared. */
async function isWhole(response: Response): Promise<boolean> {
  const answer = Buffer.from(await response.arrayBuffer());
  const from = answer.indexOf('"b64_json":"') + '"b64_json":"'.length;
  const end = from + PARTS.length * 65_536;
  return PARTS.every((part, at) => {
    const begin = from + at * 65_536;
    return answer.toString("latin1", begin, begin + 65_536) === part && answer[end] === 34;
  });
}

test("the pieces of a picture are let go once they are read", async () => {
  const pieces = ["{", new Uint8Array(MEGABYTE), new Uint8Array(MEGABYTE), "}"];
  const sent = await new Response(streamPieces(pieces)).arrayBuffer();
  expect(sent.byteLength).toBe(2 * MEGABYTE + 2);
  // Left to the collector, they would still be there.
  expect(pieces.map((piece) => piece.length)).toEqual([1, 0, 0, 1]);
});

// Windows and macOS have no /proc.
describe.skipIf(process.platform !== "linux")("a 20 MB picture takes less than 60 MB of memory", () => {
  const edit = (model: string) =>
    makeForm({
      model,
      prompt: "x",
      image: new File([new Uint8Array(MEGABYTE)], "a.png", { type: "image/png" }),
    });
  const CASES: readonly (readonly [string, string, (model: string) => object | FormData])[] = [
    ["made", "generations", (model) => ({ model, prompt: "x" })],
    ["changed", "edits", edit],
  ];
  for (const [name, path, makeBody] of CASES) {
    for (const model of ["told", "untold"]) {
      test(
        `${name}, its length ${model}`,
        async () => {
          const idle = readMegabytes(serving.pid, "VmRSS");
          for (let round = 0; round < ROUNDS; round++) {
            // Resets the peak before measuring.
            writeFileSync(`/proc/${serving.pid}/clear_refs`, "5");
            expect(await isWhole(await ask(path, makeBody(`Studio#${model}`)))).toBe(true);
            const more = readMegabytes(serving.pid, "VmHWM") - idle;
            if (process.env.SHOW_MEMORY) console.log(`${name} ${model} ${round + 1}: +${more.toFixed(0)} MB`);
            expect(more).toBeLessThan(MORE_MEGABYTES);
          }
        },
        LONG_MS,
      );
    }
  }
});

test(
  "a picture reaches a slow client completely, and a client that leaves harms no other",
  async () => {
    const slow = await ask("generations", { model: "Studio#untold", prompt: "x" });
    const left = await ask("generations", { model: "Studio#told", prompt: "x" });
    const reader = left.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(await isWhole(await ask("generations", { model: "Studio#told", prompt: "x" }))).toBe(true);
    expect(await isWhole(slow)).toBe(true);
  },
  LONG_MS,
);
