// Runs tasks beside each other: as many as keep the cores busy, the longest first, and those that measure alone at the end.

export interface Task {
  readonly name: string;
  readonly needs: readonly string[];
  readonly cpu: number;
  readonly measures?: boolean;
}

interface Course<One extends Task> {
  /** The greatest sum of shares at once. A task with a larger one runs alone. */
  readonly room: number;
  /** The names of what has ended before the tasks begin. */
  readonly ended: ReadonlySet<string>;
  /** The seconds that it is expected to take. */
  readonly expect: (task: One) => number;
  readonly run: (task: One) => Promise<void>;
}

/** Runs each task once, after those that it needs. Throws if what one needs is neither a task nor has ended. */
export async function schedule<One extends Task>(tasks: readonly One[], course: Course<One>): Promise<void> {
  checkNeeds(tasks, course.ended);
  const ended = new Set(course.ended);
  const running = new Map<One, Promise<void>>();
  let waiting = tasks.toSorted((one, other) => course.expect(other) - course.expect(one));
  const finish = async (task: One) => {
    await course.run(task);
    ended.add(task.name);
    running.delete(task);
  };
  while (waiting.length > 0 || running.size > 0) {
    for (;;) {
      const next = pickNext(waiting, [...running.keys()], ended, course.room);
      if (next === undefined) break;
      waiting = waiting.filter((one) => one !== next);
      running.set(next, finish(next));
    }
    if (running.size === 0) throw new Error(`These wait for each other: ${listNames(waiting)}`);
    await Promise.race(running.values());
  }
}

function listNames(tasks: readonly Task[]): string {
  return tasks.map(({ name }) => name).join(", ");
}

function checkNeeds(tasks: readonly Task[], ended: ReadonlySet<string>): void {
  const known = new Set([...ended, ...tasks.map(({ name }) => name)]);
  for (const { name, needs } of tasks) {
    const missing = needs.filter((need) => !known.has(need));
    if (missing.length > 0) throw new Error(`${name} needs ${missing.join(", ")}, which nothing provides`);
  }
}

function pickNext<One extends Task>(
  waiting: readonly One[],
  running: readonly One[],
  ended: ReadonlySet<string>,
  room: number,
): One | undefined {
  const isReady = ({ needs }: One) => needs.every((need) => ended.has(need));
  const others = waiting.filter(({ measures }) => !measures);
  if (others.length === 0) return running.length === 0 ? waiting.find(isReady) : undefined;
  const used = running.reduce((sum, { cpu }) => sum + cpu, 0);
  return others.find((task) => isReady(task) && (running.length === 0 || used + task.cpu <= room));
}
