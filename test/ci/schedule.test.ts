// The order in which the steps of a whole run start, tried with steps that end on command.
import { expect, test } from "bun:test";
import { schedule, type Task } from "./schedule.ts";

interface Fake extends Task {
  readonly seconds: number;
}

const fake = (name: string, cpu: number, more: Partial<Fake> = {}): Fake => ({
  name,
  cpu,
  needs: [],
  seconds: 1,
  ...more,
});

/** Runs fakes, of which each ends when the test says so. */
class Stage {
  readonly started: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly done: Promise<void>;

  constructor(tasks: readonly Fake[], ended: readonly string[] = []) {
    this.done = schedule(tasks, {
      room: 2.2,
      ended: new Set(ended),
      expect: ({ seconds }) => seconds,
      run: ({ name }) => {
        this.started.push(name);
        return new Promise((resolve) => this.#ends.set(name, resolve));
      },
    });
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await Bun.sleep(0);
  }
}

test("the longest starts first, and others beside it while the cores have room", async () => {
  const stage = new Stage([
    fake("short", 1, { seconds: 1 }),
    fake("long", 1.6, { seconds: 9 }),
    fake("light", 0.5, { seconds: 0.5 }),
  ]);
  expect(stage.started).toEqual(["long", "light"]);
  await stage.end("long");
  expect(stage.started).toEqual(["long", "light", "short"]);
  await stage.end("light");
  await stage.end("short");
  await stage.done;
});

test("a step waits for what it needs, and another takes its place", async () => {
  const stage = new Stage([
    fake("agents", 1, { seconds: 9, needs: ["build", "tools"] }),
    fake("build", 1),
    fake("tools", 0.1),
    fake("rest", 1, { seconds: 0.1 }),
  ]);
  expect(stage.started).toEqual(["build", "tools", "rest"]);
  await stage.end("rest");
  await stage.end("build");
  expect(stage.started).not.toContain("agents");
  await stage.end("tools");
  expect(stage.started).toEqual(["build", "tools", "rest", "agents"]);
  await stage.end("agents");
  await stage.done;
});

test("what measures runs alone, after all others", async () => {
  const stage = new Stage([
    fake("ruler", 1, { seconds: 9, measures: true }),
    fake("costs", 1, { seconds: 8, measures: true }),
    fake("one", 0.5),
    fake("two", 0.5),
  ]);
  expect(stage.started).toEqual(["one", "two"]);
  await stage.end("one");
  expect(stage.started).toHaveLength(2);
  await stage.end("two");
  expect(stage.started).toEqual(["one", "two", "ruler"]);
  await stage.end("ruler");
  expect(stage.started).toEqual(["one", "two", "ruler", "costs"]);
  await stage.end("costs");
  await stage.done;
});

test("a step that wants more than there is runs alone", async () => {
  const stage = new Stage([fake("all", 4, { seconds: 9 }), fake("one", 0.1)]);
  expect(stage.started).toEqual(["all"]);
  await stage.end("all");
  await stage.end("one");
  await stage.done;
});

test("a need that nothing provides, and a circle of needs, are named", async () => {
  expect(new Stage([fake("a", 1, { needs: ["gone"] })]).done).rejects.toThrow("a needs gone");
  const circle = [fake("a", 1, { needs: ["b"] }), fake("b", 1, { needs: ["a"] })];
  expect(new Stage(circle).done).rejects.toThrow("wait for each other: a, b");
  await new Stage([fake("b", 1, { needs: ["a"] })], ["a"]).end("b");
});
