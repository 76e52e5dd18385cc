// A configuration that changes while the gateway runs: applied whole once it has settled, or refused whole.
import { describe, expect, test } from "bun:test";
import { createError, formatError } from "../../src/config/errors.ts";
import { watchConfig } from "../../src/config/watch.ts";
import type { Settings } from "../../src/core/settings.ts";
import { loadText, requireSettings } from "../harness/settings.ts";

const files = { "/run/store": "postgres://me:first@db/poundkey" };
const load = (text: string, mayBeEmpty = true) => loadText(text, { known: [], mayBeEmpty, files });

describe("reload", () => {
  /** A watched file with a manual clock. */
  function watched(text: string, textNow = text) {
    const file = { text: textNow };
    const seen: {
      settings: Settings[];
      changed: (readonly string[])[];
      ignored: string[];
      errors: string[];
    } = {
      changed: [],
      settings: [],
      ignored: [],
      errors: [],
    };
    const ticks: (() => void)[] = [];
    const clock = {
      every: (_periodMs: number, task: () => void) => {
        ticks.push(task);
        return () => ticks.splice(0);
      },
    };
    const first = load(text);
    const start = { settings: requireSettings(first), sections: first.ok ? first.sections : {} };
    const watch = watchConfig(start, text, {
      clock,
      stamp: () => file.text,
      load: (mayBeEmpty) => load(file.text, mayBeEmpty),
      onSettings: (settings, changed, ignored) => {
        seen.settings.push(settings);
        seen.changed.push(changed);
        seen.ignored.push(...ignored);
      },
      onErrors: (errors) => seen.errors.push(...errors.map(formatError)),
    });
    const tick = (times: number) => {
      for (let time = 0; time < times; time += 1) for (const task of ticks) task();
    };
    return { file, seen, tick, watch };
  }

  test("a changed file is read once, when it has stopped changing", () => {
    const { file, seen, tick } = watched("limits: { n: 2 }\n");
    tick(3);
    file.text = "limits: { n";
    tick(1);
    file.text = "limits: { n: 3 }\n";
    tick(1);
    expect(seen).toEqual({ settings: [], changed: [], ignored: [], errors: [] });
    tick(3);
    expect(seen.errors).toEqual([]);
    expect(seen.settings.map((one) => one.limits.choicesMax)).toEqual([3]);
  });

  test("a file that changed before it was watched is read", () => {
    const { seen, tick } = watched("limits: { n: 2 }\n", "limits: { n: 3 }\n");
    tick(2);
    expect(seen.settings.map((one) => one.limits.choicesMax)).toEqual([3]);
  });

  test("names of vendors can be added", () => {
    const { file, seen, tick } = watched("native: { known: { betas: [a-2027-01-01] } }\n");
    file.text = "native: { known: { tools: [from_next_year], blocks: [] } }\n";
    tick(3);
    const known = { betas: new Set<string>(), blocks: new Set<string>(), tools: new Set(["from_next_year"]) };
    expect(seen.settings.map((one) => one.limits.known)).toEqual([known]);
  });

  test("an invalid file is rejected as a whole, and the next valid one is used", () => {
    const { file, seen, tick } = watched("limits: { n: 2 }\n");
    file.text = "limits: { n: 3 }\nlog: { keep: 5 }\n";
    tick(4);
    expect(seen.settings).toEqual([]);
    expect(seen.errors.length).toBe(1);
    expect(seen.errors[0]).toContain("poundkey.yaml:2:14: log.keep");
    file.text = "limits: { n: 3 }\nlog: { keep: 5d }\n";
    tick(2);
    expect(seen.settings.map((one) => [one.limits.choicesMax, one.log.keepMs])).toEqual([[3, 432_000_000]]);
  });

  test.each(["", "\n", "# limits: { n: 2 }\n", "---\n", "null\n"])(
    "a file that was emptied to %j is refused, and the one in use stays",
    (emptied) => {
      const { file, seen, tick, watch } = watched("limits: { n: 2 }\n");
      file.text = emptied;
      tick(3);
      watch.reload();
      expect(seen.settings).toEqual([]);
      expect(seen.errors).toHaveLength(2);
      expect(seen.errors[0]).toMatch(/^poundkey\.yaml:1:\d: the file is empty/);
      file.text = "limits: { n: 3 }\n";
      tick(2);
      expect(seen.settings.map((one) => one.limits.choicesMax)).toEqual([3]);
    },
  );

  test("an empty file is as good as none: where nothing was set, or where {} says so", () => {
    const empty = watched("# nothing\n");
    empty.file.text = "";
    empty.watch.reload();
    const cleared = watched("limits: { n: 2 }\n");
    cleared.file.text = "{}\n";
    cleared.watch.reload();
    expect([empty, cleared].map(({ seen }) => [seen.settings.length, seen.errors])).toEqual([
      [1, []],
      [1, []],
    ]);
    expect(cleared.seen.settings[0]?.limits.choicesMax).toBe(16);
  });

  test("changes to server and store are ignored and reported", () => {
    const { file, seen, watch } = watched("server: { port: 1 }\n");
    file.text = "server: { port: 2 }\nstore: sqlite:other.db\nlimits: { n: 3 }\n";
    watch.reload();
    expect(seen.settings[0]?.server.port).toBe(1);
    expect(seen.settings[0]?.store).toBe("sqlite:./.poundkey/poundkey.db");
    expect(seen.settings[0]?.limits.choicesMax).toBe(3);
    expect(seen.ignored).toEqual(["server", "store"]);
  });

  test("a new password in the file of the store's address needs no restart, and another address does", () => {
    const { file, seen, watch } = watched(`store: "\${file:/run/store}"\n`);
    files["/run/store"] = "postgres://me:second@db/poundkey";
    watch.reload();
    expect(seen.ignored).toEqual([]);
    file.text = "store: postgres://me@elsewhere/poundkey\n";
    watch.reload();
    expect(seen.ignored).toEqual(["store"]);
  });

  test("the sections that were added, changed or removed are named", () => {
    const { file, seen, watch } = watched("limits: { n: 2 }\nlog: { keep: 5d }\n");
    for (const text of ["limits: { n: 3 }\nlog: { keep: 5d }\n", "limits: { n: 3 }\nquota: {}\n"]) {
      file.text = text;
      watch.reload();
    }
    watch.reload();
    expect(seen.changed).toEqual([["limits"], ["log", "quota"], []]);
  });

  const refusal = createError({ file: "a.yaml", line: 0, column: 0, field: "guard", message: "not now" });
  test.each([
    ["and is applied", [], "applied"],
    ["and isn't if something speaks against it", [refusal], "a.yaml: guard: not now"],
  ])("requests have their turn before and after a changed file is read, %s", async (_, errors, end) => {
    const steps: string[] = [];
    const { promise: applied, resolve } = Promise.withResolvers<void>();
    const text = "limits: { n: 2 }\n";
    const first = load(text);
    const note = (step: string) => async () => void steps.push(step);
    const watch = watchConfig({ settings: requireSettings(first), sections: {} }, text, {
      clock: { every: () => () => {} },
      stamp: () => text,
      gently: { prepare: note("prepared"), rest: note("rested"), refuse: async () => errors },
      load: () => {
        steps.push("read");
        return first;
      },
      onSettings: () => {
        steps.push("applied");
        resolve();
      },
      onErrors: (refused) => {
        steps.push(...refused.map(formatError));
        resolve();
      },
    });
    watch.reload();
    await applied;
    expect(steps).toEqual(["prepared", "rested", "read", "rested", end]);
  });

  test("files aren't checked after the end", () => {
    const { file, seen, tick, watch } = watched("limits: { n: 2 }\n");
    watch.stop();
    file.text = "limits: { n: 3 }\n";
    tick(3);
    expect(seen.settings).toEqual([]);
  });
});
