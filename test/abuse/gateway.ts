// The attacked gateway as a process of its own, with a provider of every dialect behind it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start, stopAll } from "../bench/processes.ts";
import { type Program, startVictim } from "../kill/process.ts";

const ADMIN_TOKEN = "admin-token-of-the-meter";
const MEGABYTE = 1_000_000;

export interface Attacked {
  readonly url: string;
  readonly pid: number;
  readonly directory: string;
  /** Returns the secrets of that many keys in a new account, with further fields. They have no allowance to run out of. */
  newAccountsKeys(count: number, more?: object): Promise<readonly string[]>;
  stop(): Promise<void>;
}

interface Setup {
  readonly program: Program;
  /** The provider's file in this folder. */
  readonly provider: string;
  /** Adds files to the gateway's folder before it starts. */
  readonly prepare?: (directory: string) => void;
}

function configuration(url: string): string {
  const provider = (name: string, dialect: string, path: string, more = "") =>
    `  ${name}: { dialect: ${dialect}, keys: ["k"], base_url: "${url}${path}", unlisted_models: true${more} }`;
  return [
    `server: { port: 0, admin_token: "${ADMIN_TOKEN}", drain: 1s }`,
    "store: sqlite:./poundkey.db",
    "providers:",
    provider("Local", "openai", "/v1"),
    provider("Claude", "anthropic", "/v1"),
    provider("Gemini", "gemini", "/v1beta"),
    provider("Answers", "responses", "/v1"),
    provider("Nova", "bedrock", "", ", region: us-east-1"),
    "",
  ].join("\n");
}

export async function startAttacked({ program, provider, prepare }: Setup): Promise<Attacked> {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-abuse-"));
  const command = [process.execPath, join(import.meta.dir, provider)];
  const { port } = await start({ command, directory });
  writeFileSync(join(directory, "poundkey.yaml"), configuration(`http://127.0.0.1:${port}`));
  prepare?.(directory);
  const gateway = startVictim(program, directory);
  const url = await gateway.listens;
  const newAccountsKeys = async (count: number, more: object = {}) => {
    const { id } = await create(url, "accounts", { name: "a" });
    const fields = { name: "a", account_id: id, requests_per_day: null, ...more };
    const keys = await Promise.all(Array.from({ length: count }, () => create(url, "keys", fields)));
    return keys.map(({ secret = "" }) => secret);
  };
  const stop = async () => {
    gateway.signal("SIGKILL");
    await gateway.exited;
    await stopAll();
    rmSync(directory, { recursive: true, force: true });
  };
  return { url, pid: gateway.pid, directory, newAccountsKeys, stop };
}

async function create(url: string, what: string, fields: object) {
  const response = await fetch(`${url}/admin/v1/${what}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
  if (!response.ok) throw new Error(`${what}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { readonly id?: string; readonly secret?: string };
}

/** Resets the peak of a process's memory to what it is now. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** The most memory that a process has held since then, in megabytes. */
export function readPeakMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  return Math.round((kilobytes * 1024) / MEGABYTE);
}
