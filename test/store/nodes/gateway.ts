// A whole gateway on a PostgreSQL store, in its own process.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { providersYaml } from "../../harness/harness.ts";
import { PROGRAM } from "../../harness/program.ts";
import { until } from "../../whole/world/until.ts";

/** From the sources, on a machine that many share. */
const START_MS = 120_000;
export const ADMIN_TOKEN = "admin-token-of-the-tests";
export const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");

export interface GatewayProcess {
  readonly pid: number;
  /** `http://127.0.0.1:PORT`, once it listens. Rejects with its output if it ends before. */
  readonly url: Promise<string>;
  /** Its exit code and its error output. */
  readonly ended: Promise<{ readonly code: number; readonly err: string; readonly out: string }>;
  /** Stops it as an operator would. Throws if it had an unexpected failure. */
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** With a `${file:…}` in it, it is written into the configuration instead of being given as a flag. */
  readonly store: string;
  readonly simulatorUrl: string;
  readonly masterKey?: string;
  /** YAML added after the providers. */
  readonly more?: string;
  /** Its port. Missing for any that is free. */
  readonly port?: number;
  /** The words that start another program than today's. */
  readonly program?: readonly string[];
  /** Missing for one process. */
  readonly workers?: number;
}

export function startGatewayProcess(options: GatewayOptions): GatewayProcess {
  const { store, simulatorUrl, masterKey = MASTER_KEY, more = "", port = 0, program = PROGRAM } = options;
  const directory = mkdtempSync(join(tmpdir(), "poundkey-node-"));
  const workers = options.workers === undefined ? [] : ["--workers", String(options.workers)];
  const isInFile = store.includes("${");
  const yaml = `${providersYaml(simulatorUrl)}\n${more}`;
  writeFileSync(join(directory, "poundkey.yaml"), isInFile ? `${yaml}\nstore: "${store}"` : yaml);
  const place = isInFile ? [] : ["--store", store];
  const child = Bun.spawn([...program, "serve", "--port", String(port), ...workers, ...place], {
    cwd: directory,
    env: {
      PATH: process.env.PATH ?? "",
      POUNDKEY_MASTER_KEY: masterKey,
      POUNDKEY_ADMIN_TOKEN: ADMIN_TOKEN,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const seen = { out: "", err: "" };
  const reading = [
    collect(child.stdout, (text) => {
      seen.out += text;
    }),
    collect(child.stderr, (text) => {
      seen.err += text;
    }),
  ];
  const ended = child.exited.then(async (code) => {
    await Promise.all(reading);
    rmSync(directory, { recursive: true, force: true });
    return { code, err: seen.err, out: seen.out };
  });
  const url = until("a gateway listens", () => urlIn(seen.err) ?? child.exitCode !== null, START_MS).then(
    (found) => {
      if (typeof found === "string") return found;
      throw new Error(seen.err);
    },
  );
  url.catch(() => {});
  const stop = async () => {
    child.kill("SIGTERM");
    const { code, err, out } = await ended;
    if (code !== 0 || out.includes("internal_error")) throw new Error(err + out);
  };
  return { pid: child.pid, url, ended, stop };
}

function urlIn(out: string): string | undefined {
  return /listens on (http:\S+)/.exec(out)?.[1];
}

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }));
}

export function post(
  url: string,
  bearer: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const all = { authorization: `Bearer ${bearer}`, "content-type": "application/json", ...headers };
  return fetch(url, { method: "POST", headers: all, body: JSON.stringify(body) });
}

/** Calls an operator's route of a gateway. Throws unless it succeeds. */
export async function operate(url: string, path: string, body?: object | "DELETE"): Promise<JsonObject> {
  const where = `${url}/admin/v1${path}`;
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const method = body === "DELETE" ? body : "GET";
  const answer = await (typeof body === "object"
    ? post(where, ADMIN_TOKEN, body)
    : fetch(where, { method, headers }));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return asObject(parseJson(text));
}
