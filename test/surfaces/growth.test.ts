// The work of reading and encoding a request is linear in its body: on every surface, for every dialect, wherever it grows.
// It is timed, so only the long form does it.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { IS_LONG } from "../harness/long.ts";
import { compareTimes } from "./growth/measure.ts";
import { PLACES, type SurfaceWord } from "./growth/places.ts";
import { encodeRequest, MODELS, readBody } from "./growth/work.ts";

/** Both ends of four sizes, each twice the one before: what is quadratic takes up to 64 times as long, all else 8 times. */
const SMALL = 60;
const LARGE = 480;
/** Noise may make twice the size take three times as long, but what is quadratic takes four times. */
const MOST = 3 ** 3;

function copy<Value>(value: Value): Value {
  return structuredClone(value);
}

const WORDS: readonly SurfaceWord[] = ["chat", "messages", "responses", "gemini", "interactions"];
describe.skipIf(!IS_LONG).each(WORDS)("%s", (word) => {
  test.each(Object.entries(PLACES[word]))("%s", (_name, place) => {
    const small = copy(place(SMALL));
    const large = copy(place(LARGE));
    const few = readBody(word, small);
    const many = readBody(word, large);
    const found = [
      [
        "reading",
        compareTimes(
          () => readBody(word, small),
          () => readBody(word, large),
          MOST,
        ),
      ] as const,
      ...MODELS.map((id) => {
        const times = compareTimes(
          () => encodeRequest(id, few),
          () => encodeRequest(id, many),
          MOST,
        );
        return [id, times] as const;
      }),
    ];
    expect(found.filter(([, times]) => times > MOST)).toEqual([]);
  });
});

test.skipIf(!IS_LONG)("work that is quadratic is found", () => {
  const search = (count: number) => () => {
    const all = Array.from({ length: count }, (_, at) => ({ at }));
    return all.filter(({ at }) => all.find((one) => one.at === at));
  };
  expect(compareTimes(search(SMALL * 8), search(LARGE * 8), MOST)).toBeGreaterThan(MOST);
});

test("every place is accepted by its surface, so that there is something to encode", () => {
  const refused = WORDS.flatMap((word) =>
    Object.entries(PLACES[word]).flatMap(([name, place]) => {
      try {
        return MODELS.some((id) => encodeRequest(id, readBody(word, copy(place(2)))) > 0) ? [] : [name];
      } catch (thrown) {
        if (thrown instanceof Fault) return [name];
        throw thrown;
      }
    }),
  );
  expect(refused).toEqual([]);
});
