// Measures for how long a gateway under load holds up requests while it takes a new catalogue file:
// `bun test/bench/catalogue-update.ts [FILE]`, where FILE is a catalogue file; without it, every shipped row costs a tenth more.
// Prints for how long the gateway's loop worked without a break, at most, before the update and during it.
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeCatalogueContent } from "../../src/catalogue/file/write.ts";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { multiplyPrice } from "../../src/core/money/factors.ts";
import { watchPauses } from "./pauses.ts";

const RATE_PER_S = 50;
const PHASE_MS = 6000;
const PAUSE_MAX_MS = 20;
const directory = mkdtempSync(join(tmpdir(), "poundkey-update-"));
const file = join(directory, "catalogue.json");
const listPauses = watchPauses(directory);

function makeFile(factor: number): string {
  const cards = loadShippedCards().map((card) => ({
    ...card,
    price: card.price && multiplyPrice(card.price, { tokens: factor, pieces: 1 }),
  }));
  return writeCatalogueContent({ asOf: "2026-12-01", rows: cards.map((card) => ({ kind: "own", card })) });
}

const given = process.argv[2];
const first = makeFile(1);
const second = given === undefined ? makeFile(1.1) : readFileSync(given, "utf8");
writeFileSync(file, first);
const names = ["OpenAI", "Anthropic", "Google", "OpenRouter", "Groq", "Mistral", "DeepSeek", "xAI"];
const yaml = [
  'server: { port: 0, admin_token: "a-token-of-the-benchmark" }',
  `store: "sqlite:${join(directory, "poundkey.db")}"`,
  `providers: { ${names.map((name) => `${name}: { keys: [k] }`).join(", ")} }`,
  `catalogue: "${file}"`,
];
writeFileSync(join(directory, "poundkey.yaml"), yaml.join("\n"));
const main = join(import.meta.dirname, "..", "..", "src", "main.ts");
const gateway = Bun.spawn([process.execPath, main, "serve", "--simulate"], {
  cwd: directory,
  stdout: "pipe",
  stderr: "pipe",
  env: { PATH: process.env.PATH ?? "" },
});

let output = "";
async function follow(stream: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) output += decoder.decode(bytes, { stream: true });
}
void follow(gateway.stdout);
void follow(gateway.stderr);

async function waitFor(what: RegExp, withinMs = 30_000): Promise<RegExpExecArray> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = what.exec(output);
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}\n${output.slice(-2000)}`);
    await Bun.sleep(20);
  }
}

async function load(url: string, secret: string, untilMs: number): Promise<number> {
  const answers: Promise<number>[] = [];
  const body = JSON.stringify({
    model: "Sim#sim-mini",
    messages: [{ role: "user", content: "say: good day" }],
  });
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  while (Date.now() < untilMs) {
    answers.push(
      fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body }).then(({ status }) => status),
    );
    await Bun.sleep(1000 / RATE_PER_S);
  }
  const statuses = await Promise.all(answers);
  if (statuses.some((status) => status !== 200)) throw new Error(`answers: ${[...new Set(statuses)]}`);
  return statuses.length;
}

try {
  const [, url = ""] = await waitFor(/listens on (http:\S+)/);
  const headers = { authorization: "Bearer a-token-of-the-benchmark", "content-type": "application/json" };
  const made = await fetch(`${url}/admin/v1/keys`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "bench", requests_per_day: null }),
  });
  const { secret } = (await made.json()) as { secret: string };
  await load(url, secret, Date.now() + PHASE_MS);
  const startMs = Date.now();
  const before = await load(url, secret, startMs + PHASE_MS);
  const updateMs = Date.now();
  const loading = load(url, secret, updateMs + PHASE_MS);
  writeFileSync(`${file}.new`, second);
  renameSync(`${file}.new`, file);
  await waitFor(/catalogue_updated/);
  const during = await loading;
  const [quiet = 0] = listPauses(startMs, updateMs);
  const [longest = 0, ...others] = listPauses(updateMs, Date.now());
  console.log(`${before} requests without an update: the longest pause is ${quiet} ms`);
  console.log(`${during} requests with one: ${longest} ms, then ${others.slice(0, 5).join(", ")} ms`);
  process.exitCode = longest <= Math.max(PAUSE_MAX_MS, quiet) ? 0 : 1;
} finally {
  gateway.kill("SIGTERM");
  await gateway.exited;
  rmSync(directory, { recursive: true, force: true });
}
