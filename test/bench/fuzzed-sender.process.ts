// Sends mutated interactions at the pace that the parent process asks for, each made before the first is sent.
import { INTERACTION } from "../fuzz/body-cases.ts";
import { mutateJson, write } from "../fuzz/mutate.ts";
import { Dice } from "../sim/dice.ts";

export interface Order {
  readonly url: string;
  readonly secret: string;
  /** The first of the seeds, one for each body. */
  readonly seed: number;
  readonly count: number;
  readonly seconds: number;
  /** True for interactions that are right, each as large as the mutated one. */
  readonly isHarmless: boolean;
}

export interface Sent {
  readonly bytes: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Those of the attacked gateway, one of each family that this form is translated for. */
const MODELS = ["Local#m", "Claude#m", "Gemini#m", "Answers#m"];
const PATIENT_MS = 90_000;

function makeBody(seed: number): string {
  const dice = new Dice(seed);
  return write(mutateJson(dice, { ...INTERACTION, model: dice.pick(MODELS) }, dice.int(1, 4)));
}

/** 80 bytes as JSON. Lines matter: a text without anything to escape is parsed and written several times as fast. */
const LINE = `${"word ".repeat(15)}end\n`;

function makeHarmless(seed: number, bytes: number): string {
  const input = LINE.repeat(Math.ceil(bytes / 80));
  return JSON.stringify({ model: new Dice(seed).pick(MODELS), input, store: false });
}

async function send({ url, secret }: Order, body: string): Promise<string> {
  const response = await fetch(`${url}/v1/interactions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body,
    signal: AbortSignal.timeout(PATIENT_MS),
  });
  await response.text();
  return String(response.status);
}

async function obey(order: Order, bodies: readonly string[]): Promise<Sent> {
  const statuses: Record<string, number> = {};
  const startedMs = performance.now();
  const everyMs = (order.seconds * 1000) / order.count;
  const sending: Promise<void>[] = [];
  for (const [at, body] of bodies.entries()) {
    const waitMs = startedMs + at * everyMs - performance.now();
    if (waitMs > 0) await Bun.sleep(waitMs);
    const answered = send(order, body).catch((thrown: unknown) => `failed: ${thrown}`);
    sending.push(
      answered.then((status) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
      }),
    );
  }
  await Promise.all(sending);
  return { bytes: bodies.reduce((sum, body) => sum + body.length, 0), statuses };
}

let order: Order | null = null;
let bodies: readonly string[] = [];
process.on("message", (message: Order | "go") => {
  if (message === "go") {
    if (order !== null) void obey(order, bodies).then((sent) => process.send?.(sent));
    return;
  }
  order = message;
  bodies = Array.from({ length: message.count }, (_, at) => {
    const body = makeBody(message.seed + at);
    return message.isHarmless ? makeHarmless(message.seed + at, body.length) : body;
  });
  process.send?.("ready");
});
