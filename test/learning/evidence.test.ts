// The prompts kept as lessons: how many, on which topics, and which are dropped when there are too many.
import { expect, test } from "bun:test";
import { Evidence } from "../../src/learning/evidence.ts";
import { computeRowWidth } from "../../src/selectors/row.ts";

/** The constant and the difficulty precede the topics. */
const FIRST_TOPIC = 2;
const MARKS = [{ model: "Sim#echo", score: 1, expected: 0.5 }];

/** A prompt that clearly belongs to a topic and differs from others on it in one number. */
function rowOf(topic: number, at: number): Float32Array {
  const row = new Float32Array(computeRowWidth());
  row[FIRST_TOPIC + topic] = 0.17;
  row[row.length - 30] = at / 100_000;
  return row;
}

function evidenceOf(rows: readonly (readonly [topic: number, at: number])[]): Evidence {
  const evidence = new Evidence();
  for (const [topic, at] of rows)
    evidence.put(rowOf(topic, at), {
      accountId: "default",
      id: `${topic} ${at}`,
      atMs: 0,
      weight: 1,
      marks: MARKS,
    });
  return evidence;
}

function sumUp(evidence: Evidence) {
  const slices = evidence.sumUp(0);
  for (;;) {
    const { done, value } = slices.next();
    if (done === true && value) return value;
  }
}

test("beyond the maximum, the most frequent topic's prompts are dropped, independent of order", () => {
  const common = Array.from({ length: 9000 }, (_, at) => [0, at] as const);
  const rare = Array.from({ length: 100 }, (_, at) => [7, at] as const);
  const first = evidenceOf([...common, ...rare]);
  const second = evidenceOf([...rare, ...common.toReversed()]);
  const one = sumUp(first);
  const other = sumUp(second);
  expect(one.prompts.length).toBe(4000);
  expect(one.prompts.filter(({ phi }) => (phi[7] ?? 0) > 0.5).length).toBe(100);
  expect(other.prompts.map(({ phi }) => phi)).toEqual(one.prompts.map(({ phi }) => phi));
  const gone = first.takeDropped();
  expect(new Set(gone.map(({ id }) => id)).size).toBe(5100);
  expect(gone.every(({ id }) => id.startsWith("0 "))).toBe(true);
  expect(first.takeDropped()).toEqual([]);
});

test("lessons decay, and are finally dropped with their prompt", () => {
  const evidence = evidenceOf([[0, 1]]);
  const day = 86_400_000;
  const weightAt = (days: number) => {
    const slices = evidence.sumUp(days * day);
    for (;;) {
      const { done, value } = slices.next();
      if (done === true) return value?.prompts[0]?.marks.get("Sim#echo")?.weight;
    }
  };
  expect([weightAt(0), weightAt(30), weightAt(60)]).toEqual([1, 0.5, 0.25]);
  expect([weightAt(91), evidence.size]).toEqual([undefined, 0]);
});
