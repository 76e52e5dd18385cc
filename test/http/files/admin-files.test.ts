// Files as operators see them: listed and deleted on record by the admin routes and the command line, and gone with their account.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { runCommandLine } from "../../../src/cli/commands.ts";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { until } from "../../whole/world/until.ts";

let under: UnderTest;
let account: string;
let secret: string;

beforeAll(async () => {
  under = await startUnderTest();
  account = await under.newAccount("another");
  ({ secret } = await under.newKey({ account_id: account }));
});
afterAll(() => under.stop());

async function ask(path: string, method = "GET", token = under.adminToken) {
  const response = await fetch(`${under.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: asObject(await response.json()) };
}

async function upload(name: string, key = secret): Promise<string> {
  const body = new FormData();
  body.set("purpose", "user_data");
  body.set("file", new File(["some text"], name));
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${under.url}/v1/files`, { method: "POST", headers, body });
  return String(asObject(await response.json()).id);
}

const listNames = async (path: string) =>
  asArray((await ask(path)).body.data).map((file) => asObject(file).name);

describe("operators", () => {
  test("see names and sizes, by account, and delete on record", async () => {
    const id = await upload("a.txt");
    const other = await upload("b.txt", under.secret);
    expect(await listNames("/admin/v1/files")).toEqual(["b.txt", "a.txt"]);
    const { body } = await ask(`/admin/v1/files?account=${account}`);
    expect(asArray(body.data)).toEqual([
      expect.objectContaining({ id, account_id: account, name: "a.txt", bytes: 9, purpose: "user_data" }),
    ]);
    expect(JSON.stringify(body)).not.toContain("some text");
    expect((await ask(`/admin/v1/files/${id}`, "DELETE")).body).toMatchObject({ id, name: "a.txt" });
    expect((await ask(`/v1/files/${id}`, "GET", secret)).status).toBe(404);
    expect((await ask(`/admin/v1/files/${id}`, "DELETE")).status).toBe(404);
    const isRecorded = async () => {
      const { body } = await ask("/admin/v1/audit?action=file.deleted");
      return asArray(body.data).some((entry) => asObject(asObject(entry).target).id === id);
    };
    await until("the deletion is on record", isRecorded);
    await ask(`/admin/v1/files/${other}`, "DELETE");
  });
});

describe("the command line", () => {
  const run = (...args: readonly string[]) => runPrinting((io) => runCommandLine(args, io));
  const on = (name: string) => ["--store", `sqlite:${join(under.directory, name)}`];

  test("lists and deletes files beside a running gateway", async () => {
    const id = await upload("c.txt");
    const listed = await run("files", "list", "--account", account, ...on("poundkey.db"));
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining("c.txt")]);
    const deleted = await run("files", "delete", id, ...on("poundkey.db"));
    expect([deleted.code, deleted.out]).toEqual([0, expect.stringContaining("Deleted")]);
    expect((await ask(`/v1/files/${id}`, "GET", secret)).status).toBe(404);
  });

  test("backs files up and restores them, and without them they are gone", async () => {
    const id = await upload("d.txt");
    const at = (name: string) => join(under.directory, name);
    const told = await run("backup", at("copy.db"), ...on("poundkey.db"));
    expect(told.out).toContain("bytes of uploaded files: --files DIR copies them");
    const copied = await run("backup", at("whole.db"), "--files", at("whole.files"), ...on("poundkey.db"));
    expect([copied.code, copied.out]).toEqual([0, expect.stringContaining("of uploaded files to")]);
    const key = ["--master-key", at("master.key")];
    const without = await run("restore", at("copy.db"), ...key, ...on("without/poundkey.db"));
    expect([without.code, without.out]).toEqual([0, expect.stringContaining("1 uploaded file is gone")]);
    const whole = ["restore", at("whole.db"), "--files", at("whole.files"), ...key];
    const restored = await run(...whole, ...on("whole/poundkey.db"));
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining("bytes of uploaded files")]);
    const list = async (name: string) => (await run("files", "list", ...on(name))).out;
    expect(await list("without/poundkey.db")).not.toContain(id);
    expect(await list("whole/poundkey.db")).toContain(id);
    expect(readdirSync(at("whole/files/poundkey.db"), { recursive: true })).toContain(`${account}/${id}/0`);
  });
});

test("a closed account's files are gone, and their pieces are swept", async () => {
  const id = await upload("e.txt");
  expect((await ask(`/admin/v1/accounts/${account}/close`, "POST")).status).toBe(200);
  while ((await listNames(`/admin/v1/files?account=${account}`)).length > 0) await Bun.sleep(20);
  expect(await listNames("/admin/v1/files")).not.toContain(id);
});
