// Every size and quality of every picture model: the true cost is never above the hold, nor above the charge.
import { expect, test } from "bun:test";
import { chooseDialects } from "../../../src/app/models/dialects.ts";
import { buildCatalogue } from "../../../src/catalogue/catalogue.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { NANO_PER_USD } from "../../../src/core/money/money.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import { makeOffers } from "../../../src/gateway/plan/fitted.ts";
import { Routes } from "../../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../../src/gateway/plan/upstream.ts";
import { countAnswer } from "../../../src/gateway/settle/counted.ts";
import { worstCost } from "../../../src/ledger/worst.ts";
import type { ImagesRequest } from "../../../src/operations/images/form.ts";
import { IMAGES } from "../../../src/operations/images/operation.ts";
import { readSettings } from "../../harness/settings.ts";

/** Before the end of gpt-image-1, so that it is in the grid. */
const NOW = Date.parse("2026-10-01T12:00:00Z");
const settings = readSettings("providers: { OpenAI: { keys: [k] }, Google: { keys: [k] } }");
const upstreams = new Map(
  settings.providers.map((setup) => [setup.name, makeUpstream(setup, chooseDialects(setup))]),
);
const cards = buildCatalogue({ ...settings, nowMs: NOW })
  .list()
  .filter(({ operations, price }) => operations?.has("images") && price !== null);

interface Shape {
  readonly width: number;
  readonly height: number;
}

const STANDARD = ["1024x1024", "1536x1024", "1024x1536"];
/** OpenAI: steps of 16, sides 1:3 to 3:1, 655,360 to 8,294,400 pixels, at most 3,840 a side. */
const ANY = [
  ...STANDARD,
  "816x816",
  "1472x448",
  "2048x2048",
  "2880x2880",
  "3840x2160",
  "2160x3840",
  "3840x1280",
  "1600x1200",
];
const QUALITIES = [undefined, "auto", "low", "medium", "high", "xhigh", "max", "unheard-of"];

function readShape(size: string): Shape {
  const [width = 0, height = 0] = size.split("x").map(Number);
  return { width, height };
}

/** gpt-image-2 by OpenAI's calculator (developer forum, thread 1382699). */
function countBySteps({ width, height }: Shape, steps: number): number {
  const short = Math.round((steps * Math.min(width, height)) / Math.max(width, height));
  return Math.ceil((steps * short * (2_000_000 + width * height)) / 4_000_000);
}

const STEPS = { low: 16, medium: 48, high: 96 } as const;
/** OpenAI, "Image generation": output tokens of gpt-image-1 and its kin by size. */
const TABLE = { low: [272, 400, 408], medium: [1056, 1568, 1584], high: [4160, 6208, 6240] } as const;

/** Returns the tokens that the provider bills for a picture of a quality. */
function countTrue(name: string, size: string, quality: keyof typeof STEPS): number {
  const shape = readShape(size);
  if (name.startsWith("gemini")) return 2000;
  if (/^gpt-image-1/.test(name))
    return Math.max(...TABLE[quality].slice(size === "1024x1024" ? 0 : 1, size === "1024x1024" ? 1 : 3));
  const steps = countBySteps(shape, STEPS[quality]);
  // Measured by one relay (LaoZhang, "GPT Image 2.6"): up to four times the low of 2.5, whatever the quality.
  return name.startsWith("gpt-image-2.6") ? Math.max(steps, 4 * countBySteps(shape, STEPS.low)) : steps;
}

/** The qualities that an asked one may lead to. Those above high take up to twice as many tokens. */
function listTrue(name: string, asked: string | undefined, size: string): readonly number[] {
  const found = Object.keys(STEPS).filter((one) => one === asked);
  const chosen = found.length > 0 ? found : Object.keys(STEPS);
  const counts = chosen.flatMap((one) =>
    one === "low" || one === "medium" || one === "high" ? [countTrue(name, size, one)] : [],
  );
  const isHigher = asked === "xhigh" || asked === "max";
  return isHigher && !/^gpt-image-1|^gemini/.test(name)
    ? [...counts, 2 * countTrue(name, size, "high")]
    : counts;
}

function listSizes(name: string): readonly string[] {
  return /^(gpt-image-1|gemini)/.test(name) ? STANDARD : ANY;
}

function compare(card: ModelCard, ask: ImagesRequest, pictures: number) {
  const setup = upstreams.get(card.provider)?.setup;
  if (!setup || card.price === null) throw new Error(`${card.id} isn't there.`);
  const routes = new Routes(IMAGES, "openai", upstreams);
  const call = {
    operation: IMAGES,
    routes,
    raw: null,
    ask,
    isLimitRequired: false,
    searches: 0,
    unreadBytes: 0,
  };
  const [offer] = makeOffers(call, [card], NOW);
  const held = offer ? worstCost(offer, offer.lines, 0, 1) / NANO_PER_USD : 0;
  const { output, outputImage = output } = card.price;
  const truth = (pictures * outputImage) / 1e6;
  const amounts = { ...NO_AMOUNTS, prompt: 5, completion: pictures, outputImage: pictures, images: ask.n };
  const sent = { ask, card, calls: 1, unreadBytes: 0, rounds: 0 };
  const rules = { markup: 1, provider: setup, findHold: () => held * NANO_PER_USD };
  const { bill } = countAnswer(IMAGES, { amounts }, "provider", sent, rules);
  return { hold: truth / held, charge: truth / (bill.costNanoUsd / NANO_PER_USD) };
}

const PLAIN = [
  { more: {}, count: (tokens: number) => tokens },
  { more: { n: 10 }, count: (tokens: number) => 10 * tokens },
  { more: { n: 2, partialImages: 3, stream: true }, count: (tokens: number) => 2 * (tokens + 300) },
];
/** Google's models draw none, so they aren't sent the words for it. */
const ANIMATED = [
  { more: { outputFormat: "gif" }, count: (tokens: number) => 9 * tokens },
  { more: { outputFormat: "gif", frameCount: 16, n: 2 }, count: (tokens: number) => 32 * tokens },
];

test("true cost ÷ hold and true cost ÷ charge are at most 1", () => {
  const beyond: string[] = [];
  let compared = 0;
  for (const card of cards) {
    for (const asked of [...listSizes(card.name), "auto", undefined]) {
      // A model that chooses the size may choose any.
      const sizes = listSizes(card.name).includes(asked ?? "") ? [asked ?? ""] : listSizes(card.name);
      for (const quality of QUALITIES) {
        const worst = Math.max(...sizes.flatMap((size) => listTrue(card.name, quality, size)));
        for (const { more, count } of card.provider === "Google" ? PLAIN : [...PLAIN, ...ANIMATED]) {
          const ask = {
            model: card.id,
            extras: {},
            prompt: "a cat",
            n: 1,
            sources: [],
            ...(asked ? { size: asked } : {}),
            ...(quality ? { quality } : {}),
            ...more,
          };
          const { hold, charge } = compare(card, ask, count(worst));
          compared += 1;
          if (!(hold <= 1 && charge <= 1))
            beyond.push(`${card.id} ${asked} ${quality} ${JSON.stringify(more)}: ${hold} ${charge}`);
        }
      }
    }
  }
  expect(beyond).toEqual([]);
  expect(compared).toBeGreaterThan(3000);
  expect(cards.length).toBeGreaterThan(9);
});
