// A provider with two credentials of different accounts: a session stays on one, whose sealed thinking is dropped at
// the other.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";

interface TwinCall {
  readonly credential: string;
  /** The sealed thinking it received. */
  readonly sealed: readonly string[];
}

/** The calls received, and the credentials whose account is currently too busy. */
const calls: TwinCall[] = [];
const busy = new Set<string>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const credential = (request.headers.authorization ?? "").replace("Bearer ", "");
  const { input } = asObject(parseJson(await readText(request)));
  const sealed = asArray(input).flatMap((item) => {
    const { type, encrypted_content: content } = asObject(item);
    return type === "reasoning" ? [String(content)] : [];
  });
  calls.push({ credential, sealed });
  const write = (status: number, body: JsonObject) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (busy.has(credential)) {
    write(429, { error: { code: "rate_limit_exceeded", message: "Too many." } });
  } else if (sealed.some((one) => one !== sealedBy(credential))) {
    const message = "The encrypted content could not be verified.";
    write(400, { error: { code: "invalid_encrypted_content", type: "invalid_request_error", message } });
  } else write(200, respond(credential));
}

function sealedBy(credential: string): string {
  return `sealed by ${credential}`;
}

function respond(credential: string): JsonObject {
  const content = [{ type: "output_text", text: "good day", annotations: [] }];
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model: "gpt-6.1-sol",
    status: "completed",
    output: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: sealedBy(credential) },
      { type: "message", id: "msg_1", role: "assistant", status: "completed", content },
    ],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  };
}

/** Names the session as a client does, and sends an answer back in the next request. */
interface Way {
  readonly name: string;
  readonly provider: string;
  readonly path: string;
  /** True if the name alone is the session's. Otherwise many may have it, and each is known by its opening, too. */
  readonly isNamed: boolean;
  readonly headers: (session: string) => Readonly<Record<string, string>>;
  readonly body: (session: string, turns: readonly unknown[]) => JsonObject;
  /** Returns the turns added by an answer. */
  readonly readTurns: (answer: JsonObject) => readonly unknown[];
}

const SAID = { role: "user", content: "say: good day" };
const readOutput = ({ output }: JsonObject) => asArray(output);

const WAYS: readonly Way[] = [
  {
    name: "Responses with Codex's header",
    isNamed: true,
    provider: "Twin1",
    path: "/v1/responses",
    headers: (session) => ({ "session-id": session }),
    body: (_session, turns) => ({ input: turns }),
    readTurns: readOutput,
  },
  {
    name: "Responses with prompt_cache_key",
    isNamed: true,
    provider: "Twin2",
    path: "/v1/responses",
    headers: () => ({}),
    body: (session, turns) => ({ input: turns, prompt_cache_key: session }),
    readTurns: readOutput,
  },
  {
    name: "Messages with Claude Code's header, translated",
    isNamed: true,
    provider: "Twin3",
    path: "/v1/messages",
    headers: (session) => ({ "x-claude-code-session-id": session }),
    body: (_session, turns) => ({ messages: turns, max_tokens: 1000 }),
    readTurns: ({ content }) => [{ role: "assistant", content }],
  },
  {
    name: "chat with prompt_cache_key, translated",
    isNamed: false,
    provider: "Twin4",
    path: "/v1/chat/completions",
    headers: () => ({}),
    body: (session, turns) => ({ messages: turns, prompt_cache_key: session }),
    readTurns: ({ choices }) => [asObject(asArray(choices)[0]).message],
  },
];

let upstream: TestServer;
let under: UnderTest;

beforeAll(async () => {
  upstream = await serveHttp(answer);
  const rows = WAYS.map(
    ({ provider }) =>
      `  ${provider}: { dialect: responses, base_url: "${upstream.url}", unlisted_models: true, keys: ["${provider}-a", "${provider}-b"] }`,
  );
  under = await startUnderTest({ more: rows.join("\n") });
});
afterAll(async () => {
  await under.stop();
  await upstream.stop();
});

async function ask({ path, provider, headers, body }: Way, session: string, turns: readonly unknown[]) {
  const from = calls.length;
  const response = await fetch(under.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${under.secret}`,
      ...headers(session),
    },
    body: JSON.stringify({ model: `${provider}#gpt-6.1-sol`, ...body(session, turns) }),
  });
  const attempts = response.headers.get("x-poundkey-attempts");
  return {
    status: response.status,
    attempts,
    answer: asObject(await response.json()),
    calls: calls.slice(from),
  };
}

describe.each(WAYS.map((way) => [way.name, way] as const))("%s", (_name, way) => {
  test("a session stays on its first credential, with its thinking", async () => {
    // The name decides which of the two is first.
    for (let session = 0; session < 20; session++) {
      const first = await ask(way, `session ${session}`, [SAID]);
      const [{ credential = "" } = {}] = first.calls;
      for (let turn = 1; turn < 4; turn++) {
        // Agents shorten earlier messages, so only the name of a session recognizes a turn.
        const summary = { role: "user", content: `Summary ${turn} of session ${session}` };
        const turns = [way.isNamed ? summary : SAID, ...way.readTurns(first.answer), SAID];
        const next = await ask(way, `session ${session}`, turns);
        expect(next.status).toBe(200);
        expect(next.calls).toEqual([{ credential, sealed: [sealedBy(credential)] }]);
      }
    }
  });

  test("if that credential can't serve, another one does, without the thinking", async () => {
    const first = await ask(way, "the busy one", [SAID]);
    const [{ credential = "" } = {}] = first.calls;
    const other = credential.endsWith("a") ? `${way.provider}-b` : `${way.provider}-a`;
    busy.add(credential);
    const sealed = [sealedBy(credential)];
    const turns = [SAID, ...way.readTurns(first.answer), SAID];
    const next = await ask(way, "the busy one", turns);
    expect(next.calls).toEqual([
      { credential, sealed },
      { credential: other, sealed },
      { credential: other, sealed: [] },
    ]);
    expect([next.status, next.attempts]).toEqual([200, "3"]);
    expect(JSON.stringify(next.answer)).toContain("good day");
  });
});
