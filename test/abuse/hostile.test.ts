// A short form of the table of hostile bodies and answers: whatever one account sends, the gateway doesn't fail, its
// books balance, and others are served. Timings are the table's: `bun test/abuse/others.ts`.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { listProblems } from "../../src/admin/money/verify.ts";
import { openStore } from "../../src/app/start/open-store.ts";
import { PROGRAM } from "../harness/program.ts";
import { type Attacked, startAttacked } from "./gateway.ts";
import { HOSTILE, type Request } from "./hostile.ts";

/** Larger ones belong to the table. */
const BYTES_MAX = 3_000_000;
const PATIENT_MS = 60_000;
const FAILED = new Set(["internal_error", "overloaded", "shutting_down"]);

let gateway: Attacked;
let hostile: readonly string[];
let others: readonly string[];
beforeAll(async () => {
  gateway = await startAttacked({ program: PROGRAM, provider: "answers.process.ts" });
  hostile = await gateway.newAccountsKeys(2);
  others = await gateway.newAccountsKeys(1);
}, PATIENT_MS);
afterAll(() => gateway.stop());

async function send({ path, type, body, headers = {} }: Request, secret: string) {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": type, ...headers },
    body: body.length < 1000 ? body.toString().replace("NUMBER", "1") : body,
  });
  return { status: response.status, text: await response.text() };
}

const plain: Request = {
  path: "/v1/chat/completions",
  type: "application/json",
  body: Buffer.from(JSON.stringify({ model: "Local#plain", messages: [{ role: "user", content: "hello" }] })),
};

test.each(HOSTILE.map((row) => [row.name, row] as const))(
  "%s",
  async (_name, row) => {
    const request = row.make();
    if (request.body.length > BYTES_MAX) return;
    const [answers, other] = await Promise.all([
      Promise.all(hostile.map((secret) => send(request, secret))),
      send(plain, others[0] ?? ""),
    ]);
    expect(other.status).toBe(200);
    for (const { status, text } of answers) {
      expect(status).not.toBe(500);
      const [, code = ""] = /"code": ?"([^"]+)"/.exec(status === 200 ? "" : text) ?? [];
      expect(FAILED.has(code)).toBe(false);
    }
    const harmless = await send(row.plain(request.body.length), hostile[0] ?? "");
    expect([row.name, harmless.status]).toEqual([row.name, 200]);
  },
  PATIENT_MS,
);

test("the books balance, and nothing is held", async () => {
  const { store } = await openStore(`sqlite:${join(gateway.directory, "poundkey.db")}`, undefined);
  try {
    expect(listProblems(await store.audit())).toEqual([]);
  } finally {
    await store.close();
  }
});
