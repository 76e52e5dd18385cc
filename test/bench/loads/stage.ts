// The processes that all benchmarks share: the provider, the binary, the floor, the peers, and equal requests to each.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type GatewayPlace, startGateway } from "../peers/gateways.ts";
import { type Peer, startNginx, startPortkey } from "../peers/peers.ts";
import { run, type Started, start, stopAll } from "../processes.ts";
import { makeAgentChat, makeAgentMessages } from "./agent.ts";
import type { Surface } from "./answer.ts";
import { type Ask, prepareAsk } from "./client.ts";
import { makeSecret } from "./seed.ts";

export const ROOT = join(import.meta.dir, "..", "..", "..");
export const FLOOR = "pass-through";
export const LOOP = "read and written";
export const OURS = "Poundkey";
export const DIRECT = "direct";

export interface Scenario {
  /** The provider's dialect. */
  readonly speech: "openai" | "anthropic";
  /** The dialect of a gateway's clients. OpenAI's if it is missing. */
  readonly surface?: Surface;
  /** The provider's behaviour in the form of `upstream-answers.ts`, such as `~latency=20`. */
  readonly manner: string;
  /** The number of pieces in a stream. Null for a whole answer. */
  readonly chunks: number | null;
  /** The size of the request, filled up with an image in base64. */
  readonly bytes?: number;
  /** The size of a coding agent's request instead. */
  readonly agentKilobytes?: number;
}

/** A program in the comparison, with the scenario's request to it. */
export interface Contender {
  readonly name: string;
  readonly pid: number;
  readonly ask: Ask;
}

export interface Stage extends GatewayPlace {
  readonly isShort: boolean;
  /** Returns `full` or `short`, depending on the form of the run. */
  readonly size: <Value>(full: Value, short: Value) => Value;
  readonly upstream: Started;
  readonly gateway: Started;
  readonly peers: readonly Peer[];
  /** All contenders for the scenario, beginning with `direct`, which has no process. */
  readonly contenders: (scenario: Scenario) => readonly Contender[];
}

const PATHS: Readonly<Record<Surface, string>> = {
  openai: "/v1/chat/completions",
  anthropic: "/v1/messages",
  responses: "/v1/responses",
};
const TEXT_BYTES = 850;
const FILLER = "The committee met on Thursday to discuss the proposal. ".repeat(20).slice(0, TEXT_BYTES);

export function writeBody(model: string, scenario: Scenario, surface: Surface = "openai"): string {
  const { manner, chunks, bytes = 0, agentKilobytes: kilobytes } = scenario;
  const text = `${manner === "" ? "~" : manner}; ${FILLER}`;
  if (kilobytes !== undefined) {
    const make = surface === "anthropic" ? makeAgentMessages : makeAgentChat;
    return JSON.stringify(make({ kilobytes, model, words: text }));
  }
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${pixels(bytes - 1000)}` } };
  const content = bytes > 2000 ? [{ type: "text", text }, image] : text;
  const body =
    surface === "responses"
      ? { model, max_output_tokens: 300, input: text }
      : { model, max_tokens: 300, messages: [{ role: "user", content }] };
  return JSON.stringify(chunks === null ? body : { ...body, stream: true });
}

/** Base64 of random bytes, since a repeated letter might be faster to scan than a real image. */
function pixels(bytes: number): string {
  const noise = Buffer.alloc(Math.max(0, Math.floor((bytes * 3) / 4)));
  let state = 1;
  for (let at = 0; at < noise.length; at++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    noise[at] = state >> 16;
  }
  return noise.toString("base64");
}

/** A request to Poundkey with the key of that number, or of that secret. */
export function askGateway(
  port: number,
  scenario: Scenario,
  model = "Local#m",
  key: number | string = 0,
): Ask {
  const { surface = "openai", speech } = scenario;
  const name = speech === "anthropic" ? "Foreign#m" : model;
  const headers = { authorization: `Bearer ${typeof key === "string" ? key : makeSecret(key)}` };
  const body = writeBody(name, scenario, surface);
  return prepareAsk(port, PATHS[surface], headers, body, expectedOf(scenario, surface));
}

function expectedOf({ chunks, bytes = 0 }: Scenario, surface: Surface) {
  return { surface, chunks, receivedBytes: bytes };
}

/** A request straight to a provider, or through a pass-through. */
function askPlainly(port: number, scenario: Scenario, path: string): Ask {
  const { speech } = scenario;
  const headers = { authorization: "Bearer sim" };
  return prepareAsk(port, path, headers, writeBody("m", scenario, speech), expectedOf(scenario, speech));
}

function askPortkey(port: number, scenario: Scenario, upstreamPort: number): Ask {
  const headers = {
    authorization: "Bearer sim",
    "x-portkey-provider": scenario.speech,
    "x-portkey-custom-host": `http://127.0.0.1:${upstreamPort}/v1`,
  };
  return prepareAsk(port, PATHS.openai, headers, writeBody("m", scenario), expectedOf(scenario, "openai"));
}

export interface StageOptions {
  readonly isShort: boolean;
  readonly peers: boolean;
}

/** Builds the binary from the current source and starts everything. `closeStage` ends it all, also after a failure. */
export async function openStage(options: StageOptions): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-bench-"));
  try {
    return await startContenders(directory, options);
  } catch (error) {
    await closeStage({ directory });
    throw error;
  }
}

async function startContenders(directory: string, { isShort, peers }: StageOptions): Promise<Stage> {
  const binary = await buildGateway(ROOT, join(directory, "poundkey"));
  const bun = process.execPath;
  const upstream = await startUpstream(directory);
  const floorOf = (speech: Scenario["speech"], file = "floor.ts") =>
    start({
      command: [bun, join(import.meta.dir, file)],
      directory,
      env: { FLOOR_UPSTREAM: `http://127.0.0.1:${upstream.port}${PATHS[speech]}` },
    });
  const floors = { openai: await floorOf("openai"), anthropic: await floorOf("anthropic") };
  const loops = {
    openai: await floorOf("openai", "loop.ts"),
    anthropic: await floorOf("anthropic", "loop.ts"),
  };
  const nginxOf = (speech: Scenario["speech"]) =>
    isShort ? null : startNginx(directory, { port: upstream.port, path: PATHS[speech] });
  const nginxes = { openai: await nginxOf("openai"), anthropic: await nginxOf("anthropic") };
  const portkey = peers ? await startPortkey(directory) : null;
  const place = { binary, directory, upstreamPort: upstream.port };
  const gateway = await startGateway({ name: "main" }, place);
  return {
    ...place,
    isShort,
    size: (full, short) => (isShort ? short : full),
    upstream,
    gateway,
    peers: [nginxes.openai, portkey].filter((peer) => peer !== null),
    contenders: (scenario) => {
      const { speech } = scenario;
      const nginx = nginxes[speech]?.started;
      const portkeys = portkey?.started;
      const plain = (name: string, { pid, port }: Started, path: string): Contender => ({
        name,
        pid,
        ask: askPlainly(port, scenario, path),
      });
      return [
        plain(DIRECT, upstream, PATHS[speech]),
        plain(FLOOR, floors[speech], "/"),
        ...(scenario.chunks === null ? [] : [plain(LOOP, loops[speech], "/")]),
        ...(nginx ? [plain("nginx", nginx, "/")] : []),
        { name: OURS, pid: gateway.pid, ask: askGateway(gateway.port, scenario) },
        ...(portkeys
          ? [{ name: "Portkey", pid: portkeys.pid, ask: askPortkey(portkeys.port, scenario, upstream.port) }]
          : []),
      ];
    },
  };
}

/**
 * Runs a program that compares builds with nothing else: with the provider, and the build that `POUNDKEY_BINARY` names or
 * that of the current source. Ends everything afterwards.
 */
export async function runAlone(program: (place: GatewayPlace) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-bench-"));
  try {
    const built = process.env.POUNDKEY_BINARY;
    const binary = built ? resolve(built) : await buildGateway(ROOT, join(directory, "poundkey"));
    const upstream = await startUpstream(directory);
    await program({ binary, directory, upstreamPort: upstream.port });
  } finally {
    await closeStage({ directory });
  }
}

function startUpstream(directory: string): Promise<Started> {
  return start({ command: [process.execPath, join(import.meta.dir, "upstream.ts")], directory });
}

export async function closeStage({ directory }: Pick<Stage, "directory">): Promise<void> {
  await stopAll();
  rmSync(directory, { recursive: true, force: true });
}

/** Builds a folder's sources as `npm run build` does, into another file. */
export async function buildGateway(sources: string, binary: string): Promise<string> {
  const { scripts } = (await Bun.file(join(sources, "package.json")).json()) as {
    scripts: { build: string };
  };
  const command = scripts.build.replace(/--outfile \S+/, `--outfile ${binary}`);
  const path = `${join(process.execPath, "..")}:${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
  await run(["sh", "-c", command], sources, { PATH: path });
  return binary;
}

/** Returns the binary at that path, or builds that revision. Throws if it is neither. */
export async function findBuild(name: string, directory: string): Promise<string> {
  if (await Bun.file(name).exists()) return resolve(name);
  const sources = join(directory, "revision");
  mkdirSync(sources);
  await run(["sh", "-c", 'git archive "$0" > "$1.tar" && tar -xf "$1.tar" -C "$1"', name, sources], ROOT);
  symlinkSync(join(ROOT, "node_modules"), join(sources, "node_modules"));
  return buildGateway(sources, join(directory, "poundkey-other"));
}
