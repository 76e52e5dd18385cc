// The work of reading an answer is linear in it, wherever a provider's answers have lists. It is timed, so only the long
// form does it.
import { expect, test } from "bun:test";
import { IS_LONG } from "../harness/long.ts";
import { atLeast, type Recording, readTraffic } from "../recorded/load.ts";
import { decodeAnswer, makeSubject } from "../recorded/pipeline.ts";
import { findPlaces } from "./growth/answers.ts";
import { compareTimes } from "./growth/measure.ts";

/** Both ends of four sizes, each twice the one before: what is quadratic takes up to 64 times as long, all else 8 times. */
const SMALL = 1200;
const LARGE = 9600;
/**
 * Noise, and the collector after large answers, may make twice the size take 3.3 times as long, but what is quadratic takes
 * four times.
 */
const MOST = 3.3 ** 3;

function reading(recording: Recording, body: string) {
  const subject = makeSubject({ ...recording, frames: null, body });
  return () => {
    try {
      return decodeAnswer(subject);
    } catch {
      // A refused answer costs time as well.
      return null;
    }
  };
}

test.skipIf(!IS_LONG)("reading an answer is linear in each of its lists", () => {
  const answers = readTraffic().recordings.filter(({ status }) => status === 200);
  const places = new Map(
    answers.flatMap((recording) =>
      [...findPlaces(recording)].map(([name, grow]) => {
        const { api, streamed } = recording;
        return [`${api} ${streamed ? "streamed" : "whole"} ${name}`, { recording, grow }] as const;
      }),
    ),
  );
  const slow = [...places].filter(([, { recording, grow }]) => {
    const small = reading(recording, grow(SMALL));
    const large = reading(recording, grow(LARGE));
    return compareTimes(small, large, MOST) > MOST;
  });
  expect(slow.map(([name]) => name)).toEqual([]);
  expect(places.size).toBeGreaterThanOrEqual(atLeast(100));
});
