// The selectors' figures measured through the product: `bun test/selectors/training/product.ts [--draws=N] [--pools=a,b]
// [--labels=N,M] [--command="dist/poundkey"]` teaches with `route --learn`, sends `POST /v1/route` to a running
// gateway, and prints the code's own figures for the same rows beside them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, asString } from "../../../src/core/json/json.ts";
import { shuffled } from "../dice.ts";
import { type Pool, type Row, TEST_PART } from "./data.ts";
import { type Field, makeInput, makePicks, type Picked, spentOn, taught } from "./pools.ts";
import { average, bootstrapped, shown } from "./statistics.ts";
import { withFlatSkills } from "./trials/labels.ts";
import { pricedField } from "./trials/pools.ts";

const ASKED = [
  ["best", 0.98],
  ["fair", 0.98],
  ["fair", 0.95],
] as const;
const FIRST_SEED = 500;
const STARTED_MS = 20_000;

function option(name: string, usual: string): string {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`));
  return given?.slice(name.length + 3) ?? usual;
}

const command = option("command", `${process.execPath} src/main.ts`).split(" ");
const draws = Number(option("draws", "5"));
const counts = option("labels", "2000,100").split(",").map(Number);
const isPool = (name: string): name is Pool =>
  ["llmrouter9", "reasoning_gym", "mmlu_pro", "zeroeval"].includes(name);
const pools = option("pools", "llmrouter9,reasoning_gym,mmlu_pro,zeroeval").split(",").filter(isPool);

/** The models' names in pools contain characters that ids can't. */
function nameOf(model: string): string {
  return model.replaceAll(/[^A-Za-z0-9._/-]/g, "-");
}

/** The pool's models on a provider that is never called. */
function configurationOf({ cards }: Field): string {
  const rows = cards.map(({ name, price }) => {
    const { input = 0, output = 0 } = price ?? {};
    return `      - { name: ${JSON.stringify(nameOf(name))}, price: { input: ${input}, output: ${output} } }`;
  });
  const skills = cards.map(
    ({ name, skills: own }) =>
      `  ${JSON.stringify(`Pool#${nameOf(name)}`)}: { skills: ${JSON.stringify(own)} }`,
  );
  return `store: sqlite:./labels.db
providers:
  Pool:
    dialect: openai
    base_url: http://127.0.0.1:9/v1
    keys: [nobody]
    models:
${rows.join("\n")}
models:
${skills.join("\n")}
`;
}

async function run(folder: string, ...args: readonly string[]): Promise<string> {
  const child = Bun.spawn([...at(command), ...args], { cwd: folder, stdout: "pipe", stderr: "inherit" });
  const out = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`'${args.join(" ")}' failed: ${out}`);
  return out;
}

/** The command, with its paths made valid in another folder. */
function at([program = "", ...rest]: readonly string[]): readonly string[] {
  const isFile = (word: string) => /^(src|dist)\//.test(word);
  return [program, ...rest].map((word) =>
    isFile(word) ? join(import.meta.dir, "..", "..", "..", word) : word,
  );
}

type Pick = (selector: "best" | "fair", dial: number, rows: readonly Row[]) => Promise<readonly Picked[]>;

/** Teaches a gateway in a separate folder, queries it, and stops it. */
async function throughProduct<T>(
  field: Field,
  drawn: readonly Row[],
  use: (pick: Pick) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-product-"));
  await Bun.write(join(folder, "poundkey.yaml"), configurationOf(field));
  const labels = drawn.flatMap(({ prompt, scores }) =>
    field.cards.map(({ name }, m) =>
      JSON.stringify({ prompt, model: `Pool#${nameOf(name)}`, score: scores[m] ?? 0 }),
    ),
  );
  await Bun.write(join(folder, "labels.jsonl"), labels.join("\n"));
  const secret = asString(
    asObject(JSON.parse(await run(folder, "keys", "add", "--name", "bench", "--json"))).secret,
  );
  await run(folder, "route", "--learn", "labels.jsonl");
  const port = 20_000 + (process.pid % 20_000);
  const serving = Bun.spawn([...at(command), "serve", "--port", String(port)], {
    cwd: folder,
    stdout: "ignore",
    stderr: "inherit",
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await listening(url);
    return await use(picking(url, secret ?? "", field));
  } finally {
    serving.kill("SIGTERM");
    await serving.exited;
    rmSync(folder, { recursive: true });
  }
}

async function listening(url: string): Promise<void> {
  const endMs = performance.now() + STARTED_MS;
  while (performance.now() < endMs) {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    if (answer?.ok) return;
    await Bun.sleep(5);
  }
  throw new Error("The gateway doesn't listen.");
}

function picking(url: string, secret: string, { cards }: Field): Pick {
  const places = new Map(cards.map(({ name }, m) => [`Pool#${nameOf(name)}`, m]));
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return async (selector, dial, rows) => {
    const picks: Picked[] = [];
    for (const row of rows) {
      const messages = [{ role: "user", content: row.prompt }];
      const answer = await fetch(`${url}/v1/route`, {
        method: "POST",
        headers: { ...headers, "x-poundkey-quality": String(dial) },
        body: JSON.stringify({ model: `Router#${selector}`, messages }),
      });
      const choice = asString(asObject(await answer.json()).choice) ?? "";
      const place = places.get(choice);
      if (place === undefined) throw new Error(`'${choice}' is none of the pool's models.`);
      picks.push({ row, at: place });
    }
    return picks;
  };
}

interface Figures {
  readonly gain: ReturnType<typeof bootstrapped>;
  readonly kept: number;
  readonly saved: number;
}

function measure(field: Field, best: number, picks: readonly Picked[]): Figures {
  const total = (value: (pick: Picked) => number) => picks.reduce((sum, pick) => sum + value(pick), 0);
  const scored = total(({ row, at: m }) => row.scores[m] ?? 0);
  const single = total(({ row }) => row.scores[best] ?? 0);
  return {
    gain: bootstrapped(picks.map(({ row, at: m }) => 100 * ((row.scores[m] ?? 0) - (row.scores[best] ?? 0)))),
    kept: scored / single,
    saved:
      1 - total(({ row, at: m }) => spentOn(field, row, m)) / total(({ row }) => spentOn(field, row, best)),
  };
}

function told(selector: string, { gain, kept, saved }: Figures): string {
  if (selector === "best") return shown(gain, 2);
  return `keeps ${kept.toFixed(3)}, saves ${(100 * saved).toFixed(0)} %`;
}

async function trial(pool: Pool, count: number, seed: number): Promise<void> {
  const priced = pricedField(pool, true);
  const others = priced.rows.filter(({ part }) => part !== TEST_PART);
  const scored = priced.rows.filter(({ part }) => part === TEST_PART);
  const drawn = [...shuffled(others.length, seed)].slice(0, count).flatMap((one) => others[one] ?? []);
  const field = withFlatSkills(priced, drawn);
  const means = field.cards.map((_, m) => average(priced.rows.map(({ scores }) => scores[m] ?? 0)));
  const best = means.indexOf(Math.max(...means));
  const learned = taught(
    { ...field },
    drawn.map((row) => ({ ...row, tokens: null })),
  );
  await throughProduct(field, drawn, async (pick) => {
    for (const [selector, dial] of ASKED) {
      const own = measure(field, best, makePicks(selector, field, scored, makeInput(field, learned, dial)));
      const through = measure(field, best, await pick(selector, dial, scored));
      const name = selector === "best" ? "best" : `fair ${dial}`;
      console.log(
        `| ${pool} | ${drawn.length} | ${seed} | ${name} | ${scored.length} | ${told(selector, through)} | ${told(selector, own)} |`,
      );
    }
  });
}

console.log("| pool | labelled prompts | draw | selector | rows | through the product | in process |");
console.log("|---|---|---|---|---|---|---|");
for (const pool of pools)
  for (const count of counts)
    for (let draw = 0; draw < draws; draw++) await trial(pool, count, FIRST_SEED + draw);
