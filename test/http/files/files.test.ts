// Files by the SDKs of OpenAI and Anthropic, and by requests that no SDK would send.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import Anthropic, { toFile as toAnthropicFile } from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { until } from "../../whole/world/until.ts";

const LARGE = Buffer.alloc(5_500_000, "a line of some length\n");
const MORE = "files: { max_file: 6MB, max_bytes_per_account: 12MB, keep: 20d }";

let under: UnderTest;
let openai: OpenAI;
let anthropic: Anthropic;
/** The answer to an upload that stops, which takes its time. */
let stopped: Promise<{ readonly answer: string; readonly listed: readonly unknown[] }>;

beforeAll(async () => {
  under = await startUnderTest({ more: MORE, server: "body_limit: 1MB" });
  openai = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: under.url, apiKey: under.secret, maxRetries: 0 });
  const account = await under.newAccount("slow");
  stopped = stopUpload((await under.newKey({ account_id: account })).secret);
});
afterAll(() => under.stop());

function upload(text: string, name = "lines.jsonl") {
  return openai.files.create({ file: new File([text], name), purpose: "batch" });
}

/** Sends a part of an upload and no more. */
async function stopUpload(secret: string) {
  const { hostname, port } = new URL(under.url);
  const socket = connect(Number(port), hostname);
  const lines = ["POST /v1/files HTTP/1.1", "Host: x", `Authorization: Bearer ${secret}`];
  socket.write(`${[...lines, `Content-Type: ${FORM}`, "Content-Length: 500000"].join("\r\n")}\r\n\r\n`);
  socket.write(`${PURPOSE}${FILE.slice(0, -4)}${"x".repeat(10_000)}`);
  const answer = await Array.fromAsync(socket, String);
  const headers = { authorization: `Bearer ${secret}` };
  const listed = await fetch(`${under.url}/v1/files`, { headers });
  return { answer: answer.join(""), listed: asArray(asObject(await listed.json()).data) };
}

/** The answer's status and the code or type of its error. */
async function send(path: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}) {
  const headers = { authorization: `Bearer ${under.secret}`, ...init.headers };
  const response = await fetch(`${under.url}${path}`, { ...init, headers });
  const body = asObject(await response.json());
  return { status: response.status, body, error: asObject(body.error) };
}

const FORM = "multipart/form-data; boundary=xyz";
const part = (head: string, text: string) =>
  `--xyz\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
const FILE = part('name="file"; filename="a.jsonl"', "{}");
const PURPOSE = part('name="purpose"', "batch");
const post = (body: string, headers: Record<string, string> = {}) =>
  send("/v1/files", { method: "POST", body, headers: { "content-type": FORM, ...headers } });

describe("OpenAI's SDK", () => {
  test("uploads, waits, reads, lists page by page and deletes", async () => {
    const file = await openai.files.create({
      file: new File(["first\nsecond"], "lines.jsonl", { type: "application/jsonl" }),
      purpose: "batch",
      expires_after: { anchor: "created_at", seconds: 3600 },
    });
    expect(file).toMatchObject({ object: "file", bytes: 12, filename: "lines.jsonl", purpose: "batch" });
    expect(file.id).toStartWith("file-");
    expect((file.expires_at ?? 0) - file.created_at).toBe(3600);
    expect((await openai.files.waitForProcessing(file.id)).status).toBe("processed");
    expect(await (await openai.files.content(file.id)).text()).toBe("first\nsecond");
    const other = await openai.files.create({ file: await toFile(LARGE, "notes.txt"), purpose: "user_data" });
    expect(other.bytes).toBe(LARGE.length);
    expect((other.expires_at ?? 0) - other.created_at).toBe(20 * 86_400);
    const listed = await Array.fromAsync(openai.files.list({ limit: 1 }));
    expect(listed.map(({ id }) => id)).toEqual([other.id, file.id]);
    const batches = await Array.fromAsync(openai.files.list({ purpose: "batch", order: "asc" }));
    expect(batches.map(({ id }) => id)).toEqual([file.id]);
    const content = await openai.files.content(other.id);
    expect(Buffer.from(await content.arrayBuffer()).equals(LARGE)).toBe(true);
    for (const { id } of listed)
      expect(await openai.files.delete(id)).toEqual({ id, object: "file", deleted: true });
    expect(await Array.fromAsync(openai.files.list())).toEqual([]);
    expect(await catchThrown(openai.files.retrieve(file.id))).toMatchObject({
      status: 404,
      code: "file_not_found",
    });
  });
});

describe("Anthropic's SDK", () => {
  test("uploads, reads, lists page by page and deletes", async () => {
    const ids: string[] = [];
    for (const name of ["one.txt", "two.txt", "three.txt"]) {
      const file = await anthropic.beta.files.upload({
        file: await toAnthropicFile(Buffer.from(`text of ${name}`), name, { type: "text/plain" }),
      });
      expect(file).toMatchObject({
        type: "file",
        filename: name,
        mime_type: "text/plain",
        downloadable: true,
      });
      expect(file.id).toStartWith("file_");
      ids.unshift(file.id);
    }
    const listed = await Array.fromAsync(anthropic.beta.files.list({ limit: 2 }));
    expect(listed.map(({ id }) => id)).toEqual(ids);
    const [id = "", second = ""] = ids;
    // A page of its own with those that are there.
    const named = await anthropic.files.list({ ids: [second, "file_gone", id, id] });
    expect(named.data.map((one) => one.id)).toEqual([second, id]);
    expect(named.next_page).toBeNull();
    expect((await anthropic.files.list({ ids: ["file_gone"] })).data).toEqual([]);
    for (const more of [{ limit: 1 }, { page: id }])
      expect(await catchThrown(anthropic.files.list({ ids: [id], ...more }))).toMatchObject({ status: 400 });
    const many = Array.from({ length: 101 }, (_, at) => `file_${at}`);
    expect(await catchThrown(anthropic.files.list({ ids: many }))).toMatchObject({ status: 400 });
    expect((await anthropic.beta.files.retrieveMetadata(id)).size_bytes).toBe(17);
    expect(await (await anthropic.beta.files.download(id)).text()).toBe("text of three.txt");
    for (const one of ids)
      expect(await anthropic.beta.files.delete(one)).toMatchObject({ id: one, type: "file_deleted" });
    expect(await catchThrown(anthropic.beta.files.retrieveMetadata(id))).toMatchObject({
      status: 404,
      error: { error: { type: "not_found_error", code: "file_not_found" } },
    });
  });
});

describe("an upload's form", () => {
  // AspNetCore.Proxy 95 and others lose such names.
  test("keeps names that aren't ASCII as they were sent", async () => {
    for (const name of ["é ü.jsonl", "行.jsonl", "🗂.jsonl"]) {
      const { id, filename } = await upload("{}", name);
      expect([filename, (await openai.files.retrieve(id)).filename]).toEqual([name, name]);
      await openai.files.delete(id);
    }
    const extended = part("name=\"file\"; filename*=UTF-8''%C3%A9%20%C3%BC.jsonl", "{}");
    const { status, body } = await post(`${PURPOSE}${extended}--xyz--\r\n`);
    expect([status, body.filename]).toEqual([200, "é ü.jsonl"]);
    await openai.files.delete(String(body.id));
  });

  test("may have its fields before or behind the file, and others", async () => {
    for (const body of [PURPOSE + FILE, FILE + PURPOSE, `${FILE}${part('name="model"', "x")}${PURPOSE}`]) {
      const { status, body: file } = await post(`${body}--xyz--\r\n`);
      expect([status, file.bytes, file.purpose]).toEqual([200, 2, "batch"]);
      await openai.files.delete(String(file.id));
    }
  });

  test("is refused with the field that is wrong, and leaves nothing", async () => {
    const over = part('name="file"; filename="a"', "x".repeat(6_000_001));
    const seconds = part('name="expires_after[seconds]"', "60");
    const anchor = part('name="expires_after[anchor]"', "created_at");
    const rows: readonly (readonly [body: string, status: number, code: unknown, param: unknown])[] = [
      [FILE, 400, "missing_required_parameter", "purpose"],
      [PURPOSE, 400, "missing_required_parameter", "file"],
      [FILE + part('name="purpose"', "fine-tune"), 400, "invalid_value", "purpose"],
      [FILE + PURPOSE + FILE, 400, "invalid_value", "file"],
      [part('name="file"', "text") + PURPOSE, 400, "invalid_value", "file"],
      [part('name="file"; filename="../a"', "text") + PURPOSE, 400, "invalid_value", "file"],
      [FILE + PURPOSE + seconds, 400, "invalid_value", "expires_after[seconds]"],
      [FILE + PURPOSE + anchor, 400, "missing_required_parameter", "expires_after[seconds]"],
      [over + PURPOSE, 413, "request_too_large", null],
    ];
    for (const [body, status, code, param] of rows) {
      const answer = await post(`${body}--xyz--\r\n`);
      expect([answer.status, answer.error.code, answer.error.param]).toEqual([status, code, param]);
    }
    expect((await post(FILE)).status).toBe(400);
    expect((await send("/v1/files", { method: "POST", body: "{}" })).status).toBe(415);
    expect(await Array.fromAsync(openai.files.list())).toEqual([]);
    expect(listPieces()).toEqual([]);
  });

  test("whose sender leaves leaves nothing", async () => {
    const { hostname, port } = new URL(under.url);
    const head = `POST /v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${under.secret}\r\nContent-Type: ${FORM}\r\nContent-Length: 5000000\r\n\r\n`;
    const socket = connect(Number(port), hostname);
    socket.write(`${head}${PURPOSE}${FILE.slice(0, -4)}${"x".repeat(2_500_000)}`);
    while (listPieces().length === 0) await Bun.sleep(5);
    socket.destroy();
    while (listPieces().length > 0) await Bun.sleep(5);
    expect(await Array.fromAsync(openai.files.list())).toEqual([]);
  });
});

/** The files of pieces, with their modes. */
function listPieces(): readonly string[] {
  const folder = join(under.directory, "files");
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

describe("a file", () => {
  test("is sealed on a disk that only the gateway's user reads", async () => {
    const { id } = await upload("a very secret line");
    const [piece = ""] = listPieces();
    expect(await Bun.file(piece).text()).not.toContain("secret");
    expect(statSync(piece).mode & 0o777).toBe(0o600);
    expect(statSync(join(under.directory, "files")).mode & 0o777).toBe(0o700);
    await openai.files.delete(id);
    expect(listPieces()).toEqual([]);
  });

  test("is nobody's but its account's service keys', and of no other form", async () => {
    const { id } = await upload("text");
    const account = await under.newAccount("another");
    const other = (await under.newKey({ account_id: account })).secret;
    const colleague = (await under.newKey()).secret;
    expect(
      (await send(`/v1/files/${id}`, { headers: { authorization: `Bearer ${colleague}` } })).status,
    ).toBe(200);
    const strangers: readonly Record<string, string>[] = [
      { authorization: `Bearer ${other}` },
      { authorization: `Bearer ${under.secret}`, "anthropic-version": "2026-10-21" },
    ];
    for (const headers of strangers) {
      const answers = await Promise.all([
        send(`/v1/files/${id}`, { headers }),
        send(`/v1/files/${id}/content`, { headers }),
        send(`/v1/files/${id}`, { method: "DELETE", headers }),
      ]);
      expect(answers.map(({ status, error }) => [status, error.code])).toEqual(
        Array.from({ length: 3 }, () => [404, "file_not_found"]),
      );
      expect(asArray((await send("/v1/files", { headers })).body.data)).toEqual([]);
    }
    expect((await openai.files.delete(id)).deleted).toBe(true);
  });

  test("is refused in the asker's form", async () => {
    const wrong = { authorization: "Bearer sk-wrong" };
    expect((await send("/v1/files/x", { headers: wrong })).error.code).toBe("invalid_api_key");
    const anthropicHeaders = { "anthropic-version": "2026-10-21" };
    const theirs = await send("/v1/files/x", { headers: { ...wrong, ...anthropicHeaders } });
    expect([theirs.status, theirs.body.type, theirs.error.type]).toEqual([
      401,
      "error",
      "authentication_error",
    ]);
    const google = await send("/v1/files", { headers: { "x-goog-api-key": under.secret } });
    expect([google.status, google.error.status]).toEqual([404, "NOT_FOUND"]);
    expect(google.error.message).toContain("inlineData");
    const method = await send("/v1/files", { method: "PUT", headers: anthropicHeaders });
    expect([method.status, method.body.type]).toEqual([405, "error"]);
  });

  test("finds no room beyond its account's", async () => {
    const first = await openai.files.create({ file: await toFile(LARGE, "one"), purpose: "batch" });
    const second = await openai.files.create({ file: await toFile(LARGE, "two"), purpose: "batch" });
    const third = openai.files.create({ file: await toFile(LARGE, "three"), purpose: "batch" });
    expect(await catchThrown(third)).toMatchObject({ status: 400, code: "storage_limit_exceeded" });
    expect((await Array.fromAsync(openai.files.list())).length).toBe(2);
    for (const { id } of [first, second]) await openai.files.delete(id);
  });
});

test("an account has four uploads at once, and another's go on beside them", async () => {
  const { hostname, port } = new URL(under.url);
  const { secret } = await under.newKey({ account_id: await under.newAccount("beside") });
  const beside = { authorization: `Bearer ${secret}` };
  const head = `POST /v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${under.secret}\r\nContent-Type: ${FORM}\r\nContent-Length: 3000000\r\n\r\n`;
  const sockets = Array.from({ length: 4 }, () => {
    const socket = connect(Number(port), hostname);
    socket.write(`${head}${PURPOSE}${FILE.slice(0, -4)}${"x".repeat(1_500_000)}`);
    return socket;
  });
  while (listPieces().filter((path) => path.endsWith("/0")).length < 4) await Bun.sleep(5);
  const refused = await post(`${FILE}${PURPOSE}--xyz--\r\n`);
  expect([refused.status, refused.error.code]).toEqual([429, "too_many_parallel_requests"]);
  const other = await post(`${FILE}${PURPOSE}--xyz--\r\n`, beside);
  expect(other.status).toBe(200);
  await send(`/v1/files/${other.body.id}`, { method: "DELETE", headers: beside });
  for (const socket of sockets) socket.destroy();
  await until("another is taken", async () => (await post(`${FILE}${PURPOSE}--xyz--\r\n`)).status === 200);
  for await (const { id } of openai.files.list()) await openai.files.delete(id);
});

test("an upload that stops is ended after five seconds, and leaves nothing", async () => {
  const { answer, listed } = await stopped;
  expect(answer).toStartWith("HTTP/1.1 408");
  expect(answer).toContain('"code":"request_timeout"');
  expect([listed, listPieces()]).toEqual([[], []]);
}, 30_000);

test("a file whose bytes are damaged is 404, and /readyz says so until it is deleted", async () => {
  const readProblems = async () =>
    asArray(asObject(await (await fetch(`${under.url}/readyz`)).json()).problems);
  const { id } = await upload("text");
  const [piece = ""] = listPieces();
  writeFileSync(piece, "damaged");
  const content = await send(`/v1/files/${id}/content`);
  expect([content.status, content.error.code]).toEqual([404, "file_not_found"]);
  expect(await readProblems()).toEqual([
    "files: pieces of a file or batch are missing or damaged; the log names them",
  ]);
  await openai.files.delete(id);
  expect(await readProblems()).toEqual([]);
});
