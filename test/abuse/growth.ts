// `bun test/abuse/growth.ts [WORDS]`: a table of the time and memory of reading and encoding requests at four sizes.
import { readFileSync, writeFileSync } from "node:fs";
import { Fault } from "../../src/core/faults/fault.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { measureLeastMs, type Work } from "../surfaces/growth/measure.ts";
import type { Place } from "../surfaces/growth/place.ts";
import { PLACES, type SurfaceWord } from "../surfaces/growth/places.ts";
import { encodeRequest, MODELS, readBody } from "../surfaces/growth/work.ts";

const MEGABYTE = 1_000_000;
/** The largest of the four sizes, the first that the surface accepts. */
const LARGEST = [8000, 4000, 2000, 480];
/** Rounds are repeated while the times seem to grow too fast, because other load on the machine looks the same. */
const ROUNDS = 5;
const ROUNDS_MAX = 20;
/** Twice the size may take this many times as much. */
const MOST = 2.5;
/** Less than this is noise. */
const FLOOR_MS = 1;
const FLOOR_MB = 8;

interface Row {
  readonly surface: SurfaceWord;
  readonly place: string;
  readonly slowest: string;
  readonly "body, KB": number;
  readonly "ms at four sizes": string;
  readonly "MB at four sizes": string;
  readonly "most per doubling": string;
}

/** Returns a body without shared parts, as it is after parsing. */
function makeBody(place: Place, count: number): JsonObject {
  return structuredClone(place(count));
}

/** Returns the bodies of four sizes, each twice the one before. */
function makeBodies(word: SurfaceWord, place: Place): readonly JsonObject[] {
  for (const largest of LARGEST) {
    try {
      const body = makeBody(place, largest);
      readBody(word, body);
      return [...[8, 4, 2].map((part) => makeBody(place, largest / part)), body];
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
    }
  }
  throw new Error("No size of this place is accepted.");
}

/** Returns the growth of the process's memory while it works, with all garbage. */
function measureMegabytes(work: Work): number {
  Bun.gc(true);
  // Resets the peak to the current resident memory.
  writeFileSync("/proc/self/clear_refs", "5");
  const before = readStatus("VmRSS");
  work();
  return Math.max(0, readStatus("VmHWM") - before);
}

function readStatus(field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync("/proc/self/status", "utf8"));
  return (Number(line?.[1] ?? 0) * 1024) / MEGABYTE;
}

/** Returns the most by which a doubling multiplies a figure. */
function findSteepest(figures: readonly number[], floor: number): number {
  const ratios = figures.slice(1).map((figure, at) => figure / Math.max(floor, figures[at] ?? floor));
  return Math.max(...ratios);
}

/** Returns the least time of each size, in ms. */
function measureSizes(sizes: readonly Work[]): readonly number[] {
  let least = sizes.map((work) => measureLeastMs(work, 1));
  for (let round = 1; round < ROUNDS_MAX; round++) {
    least = sizes.map((work, at) => Math.min(least[at] ?? 0, measureLeastMs(work, 1)));
    if (round >= ROUNDS && findSteepest(least, FLOOR_MS) <= MOST) break;
  }
  return least;
}

function measurePlace(word: SurfaceWord, name: string, place: Place): Row {
  const bodies = makeBodies(word, place);
  const works = [
    ["reading", bodies.map((body) => () => readBody(word, body))] as const,
    ...MODELS.map((id) => {
      const read = bodies.map((body) => readBody(word, body));
      return [id, read.map((exchange) => () => encodeRequest(id, exchange))] as const;
    }),
  ];
  const timed = works.map(([what, sizes]) => {
    const last = sizes.at(-1);
    return { what, sizes, ms: last ? measureLeastMs(last, 2) : 0 };
  });
  const slowest = timed.reduce((most, one) => (one.ms > most.ms ? one : most));
  const ms = measureSizes(slowest.sizes);
  const megabytes = slowest.sizes.map(measureMegabytes);
  const steepest = Math.max(findSteepest(ms, FLOOR_MS), findSteepest(megabytes, FLOOR_MB));
  return {
    surface: word,
    place: name,
    slowest: slowest.what,
    "body, KB": Math.round(JSON.stringify(bodies.at(-1)).length / 1000),
    "ms at four sizes": ms.map((one) => one.toFixed(1)).join("  "),
    "MB at four sizes": megabytes.map((one) => one.toFixed(0)).join("  "),
    "most per doubling": `${steepest.toFixed(1)}${steepest > MOST ? " !" : ""}`,
  };
}

const [words = ""] = process.argv.slice(2);
const rows: Row[] = [];
for (const word of ["chat", "messages", "responses", "gemini"] as const)
  for (const [name, place] of Object.entries(PLACES[word]))
    if (`${word} ${name}`.includes(words)) rows.push(measurePlace(word, name, place));
console.table(rows);
