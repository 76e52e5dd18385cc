// Prints how much a logged request adds to a SQLite store: `bun test/deploy/disk.ts [REQUESTS]`, on the built binary.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, parseJson } from "../../src/core/json/json.ts";

const REQUESTS = Number(process.argv[2] ?? 20_000);
const AT_ONCE = 32;
const KEYS = 50;
const ADMIN_TOKEN = "admin-token-of-the-measurement";
const BINARY = join(import.meta.dir, "..", "..", "dist", "poundkey");

const folder = mkdtempSync(join(tmpdir(), "poundkey-disk-"));
writeFileSync(join(folder, "poundkey.yaml"), `server: { admin_token: "${ADMIN_TOKEN}" }\n`);

async function post(url: string, bearer: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

const gateway = Bun.spawn([BINARY, "serve", "--simulate", "--port", "0"], {
  cwd: folder,
  stdout: "ignore",
  stderr: "pipe",
});
try {
  let url = "";
  const decoder = new TextDecoder();
  for await (const bytes of gateway.stderr) {
    url = /listens on (http:\S+)/.exec(decoder.decode(bytes))?.[1] ?? "";
    if (url !== "") break;
  }
  const secrets: string[] = [];
  for (let at = 0; at < KEYS; at++) {
    const made = await post(`${url}/admin/v1/keys`, ADMIN_TOKEN, {
      name: `key-${at}`,
      requests_per_day: null,
    });
    secrets.push(String(asObject(parseJson(made)).secret));
  }
  const ask = { model: "Sim#sim-mini", messages: [{ role: "user", content: "one two" }] };
  const sizes: number[] = [];
  const send = async (count: number) => {
    let left = count;
    const client = async () => {
      while (left-- > 0) await post(`${url}/v1/chat/completions`, secrets[left % KEYS] ?? "", ask);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    // The write-ahead log is left out: it has a bound of its own.
    sizes.push(statSync(join(folder, ".poundkey", "poundkey.db")).size);
  };
  await send(REQUESTS / 2);
  await send(REQUESTS / 2);
  const [first = 0, last = 0] = sizes;
  process.stdout.write(
    `${Math.round((last - first) / (REQUESTS / 2))} bytes a request (${last} after ${REQUESTS})\n`,
  );
} finally {
  gateway.kill("SIGTERM");
  await gateway.exited;
  rmSync(folder, { recursive: true, force: true });
}
