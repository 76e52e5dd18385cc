// Keys of a container's role against a real agent: requests, their number, refusals, and calls signed with the keys.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../../src/core/faults/fault.ts";
import { asObject } from "../../../src/core/json/json.ts";
import type { AwsContainer, AwsProof } from "../../../src/core/models/token-source.ts";
import { createAuthorize, listSecrets, signAws } from "../../../src/transport/auth/authorize.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { until } from "../../whole/world/until.ts";
import { startTokenServer, startTokens } from "./token-server.ts";

const MINUTE_MS = 60_000;
const directory = mkdtempSync(join(tmpdir(), "poundkey-aws-keys-"));
const file = join(directory, "token");

const agent = await startTokenServer();
beforeEach(() => {
  agent.seen.length = 0;
});
afterAll(async () => {
  await agent.stop();
  rmSync(directory, { recursive: true });
});

/** The agent returns numbered keys that expire after an hour. */
function giveKeys(startMs: number): void {
  const Expiration = new Date(startMs + 60 * MINUTE_MS).toISOString();
  let given = 0;
  agent.answer = () => {
    const number = ++given;
    const keys = { AccessKeyId: `ASIAOFTHETESTS${number}`, SecretAccessKey: `secret-${number}` };
    return { body: { ...keys, Token: `session-${number}`, Expiration, RoleArn: "arn:aws:iam::1:role/r" } };
  };
}

const container = (more: Partial<AwsContainer> = {}): AwsContainer => ({
  kind: "aws_container",
  url: `${agent.origin}/v1/credentials`,
  authorization: null,
  region: "eu-west-1",
  ...more,
});

/** The gateway's side with stopped clocks, and an agent that returns keys. */
function start() {
  const started = startTokens();
  giveKeys(started.startMs);
  return started;
}

describe("the agent", () => {
  test("is called at its address, with or without the environment's token", async () => {
    const { keys } = start();
    expect(await keys.get(container())).toEqual({
      accessKeyId: "ASIAOFTHETESTS1",
      secretAccessKey: "secret-1",
      sessionToken: "session-1",
    });
    expect(agent.seen[0]).toMatchObject({ method: "GET", path: "/v1/credentials", body: "" });
    expect(agent.seen[0]?.headers.authorization).toBeUndefined();
    await keys.get(container({ authorization: { value: "Basic abcd" } }));
    expect(agent.seen[1]?.headers.authorization).toBe("Basic abcd");
  });

  test("receives the current content of the token file", async () => {
    const { keys, pass } = start();
    const source = container({ authorization: { file } });
    for (const [at, token] of ["pod-1", "pod-2"].entries()) {
      writeFileSync(file, `${token}\n`);
      await keys.get(source);
      expect(agent.seen[at]?.headers.authorization).toBe(token);
      pass(60 * MINUTE_MS);
      giveKeys(Date.UTC(2026, 10, 21, 1));
    }
  });

  test("is called once for twenty concurrent calls, and again five minutes before the keys expire", async () => {
    const { keys, pass } = start();
    const source = container();
    agent.hold();
    const waiting = Array.from({ length: 20 }, () => keys.get(source));
    agent.release();
    const first = await keys.get(source);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([first]));
    expect(agent.seen).toHaveLength(1);
    pass(54 * MINUTE_MS);
    expect(await keys.get(source)).toBe(first);
    expect(agent.seen).toHaveLength(1);
    pass(2 * MINUTE_MS);
    agent.hold();
    expect(await Promise.all([keys.get(source), keys.get(source)])).toEqual([first, first]);
    agent.release();
    await until("the next keys", async () => (await keys.get(source)) !== first);
    expect(agent.seen).toHaveLength(2);
  });
});

describe("failures", () => {
  const LATER = "2099-01-01T00:00:00Z";
  const whole = { AccessKeyId: "ASIA", SecretAccessKey: "secret", Token: "session", Expiration: LATER };
  test.each([
    [403, { message: "secret" }, "upstream_auth"],
    [500, "secret", "upstream_error"],
    [302, "", "upstream_error"],
    [200, "<html>secret", "upstream_error"],
    [200, { ...whole, AccessKeyId: "" }, "upstream_error"],
    [200, { ...whole, SecretAccessKey: "secret\nx: y" }, "upstream_error"],
    [200, { ...whole, Token: 7 }, "upstream_error"],
    [200, { ...whole, Expiration: undefined }, "upstream_error"],
    [200, { ...whole, Expiration: "2026-11-20T23:59:59Z" }, "upstream_error"],
  ] as const)("an answer of %d yields no keys and is not quoted: %#", async (status, body, code) => {
    const { keys } = start();
    agent.answer = () => ({ status, body });
    const fault = await keys.get(container()).catch((thrown: unknown) => thrown);
    if (!(fault instanceof Fault)) throw new Error("no fault");
    expect(fault.code).toBe(code);
    expect(JSON.stringify([fault.message, fault.details, fault.stack])).not.toMatch(/secret|127\.0\.0\.1:/);
  });

  test("a missing token file is a rejected credential, and the agent is not called", async () => {
    const { keys } = start();
    for (const text of [null, "", "two\nlines"]) {
      if (text !== null) writeFileSync(file, text);
      const name = text === null ? join(directory, "none") : file;
      const work = keys.get(container({ authorization: { file: name } }));
      await expect(work).rejects.toMatchObject({ code: "upstream_auth" });
    }
    expect(agent.seen).toEqual([]);
  });
});

test("calls are signed with the role's keys, which never appear in messages", async () => {
  const { ports, startMs } = start();
  const call = { url: "https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse", headers: {} };
  const proven = await createAuthorize(ports)(container(), { ...call, body: "{}" }, startMs);
  const keys = { accessKeyId: "ASIAOFTHETESTS1", secretAccessKey: "secret-1", sessionToken: "session-1" };
  const proof: AwsProof = { kind: "aws", ...keys, region: "eu-west-1" };
  expect(proven.headers).toEqual(signAws(proof, { ...call, body: "{}" }, startMs));
  expect(proven.secrets).toEqual(Object.values(keys));
  const credential = { secret: null, weight: 1, proof: container({ authorization: { value: "Basic x" } }) };
  expect(listSecrets(credential)).toEqual(["Basic x"]);
});

describe("a gateway in a container", () => {
  let gateway: UnderTest;
  beforeAll(async () => {
    writeFileSync(file, "pod-token");
    giveKeys(Date.now());
    gateway = await startUnderTest({
      env: {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${agent.origin}/v1/credentials`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
      },
      more: (url) =>
        [
          `  Role: { dialect: bedrock, region: eu-west-1, base_url: "${url}/bedrock", unlisted_models: true }`,
          `  Quoting: { dialect: bedrock, base_url: "${agent.origin}/bedrock", unlisted_models: true }`,
        ].join("\n"),
    });
  });
  afterAll(() => gateway.stop());

  test("calls Bedrock under its role, with keys that it fetched once", async () => {
    const ask = { model: "Role#amazon.nova-pro-v1:0", messages: [{ role: "user", content: "say: hello" }] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.chat(ask)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(agent.seen.map(({ headers }) => headers.authorization)).toEqual(["pod-token"]);
    for (const { headers } of gateway.simulator.calls.all()) {
      expect(headers["x-amz-security-token"]).toBe("session-1");
      expect(headers.authorization).toStartWith("AWS4-HMAC-SHA256 Credential=ASIAOFTHETESTS1/");
    }
  });

  test("reveals none of its keys in answers or the log, even if Bedrock quotes them", async () => {
    const giveOwn = agent.answer;
    agent.answer = (seen) =>
      seen.path.startsWith("/bedrock")
        ? { status: 400, body: { message: `quoted: ${JSON.stringify(seen.headers)}` } }
        : (giveOwn?.(seen) ?? null);
    const ask = { model: "Quoting#amazon.nova-pro", messages: [{ role: "user", content: "hi" }] };
    const text = await (await gateway.chat(ask)).text();
    const { headers } = agent.seen.at(-1) ?? {};
    expect(headers?.["x-amz-security-token"]).toMatch(/^session-\d$/);
    expect(asObject(asObject(JSON.parse(text)).error).message).toContain("quoted");
    expect(text + JSON.stringify(gateway.events)).not.toMatch(
      /ASIAOFTHETESTS\d|secret-\d|session-\d|pod-token/,
    );
  });
});
