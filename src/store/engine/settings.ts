// The store's settings, by name.
import type { Changes } from "../../core/changes.ts";
import type { Store } from "../../core/store.ts";
import { readText } from "../columns/found.ts";
import { bind, type Engine, type Result } from "./engine.ts";
import type { Recorder } from "./recording.ts";

/** The statements that change a setting, for a transaction. */
function composeChange({ mark, forUpdate }: Engine) {
  const find = `SELECT value FROM setting WHERE name = ${mark(1)}`;
  const insert = `INSERT INTO setting (name, value) VALUES (${mark(1)}, ${mark(2)}) ON CONFLICT (name)`;
  const keep = `${insert} DO NOTHING`;
  const set = `${insert} DO UPDATE SET value = excluded.value`;
  return { find, keep, set, lock: `${find} ${forUpdate}` };
}

export function settingMethods(engine: Engine) {
  const { run, runAll, change: changeRows } = engine;
  const { find, keep, set, lock } = composeChange(engine);
  const read = async (name: string) => readSetting(await run(bind(find, name)));
  return {
    setting: read,
    keepSetting: async (name, value) => {
      await run(bind(keep, name, value));
      return (await read(name)) ?? value;
    },
    setSetting: (name, value) => runAll([bind(set, name, value)]),
    changeSetting: (name, change) =>
      // A missing row can't be locked, so an empty one is added first.
      changeRows([bind(keep, name, ""), bind(lock, name)], ([, found]) => {
        const value = change((found && readSetting(found)) || null);
        return { writes: [bind(set, name, value)], toResult: () => value };
      }),
  } satisfies Partial<Store>;
}

export function settingChanges(engine: Engine, record: Recorder) {
  const { keep, set, lock } = composeChange(engine);
  return {
    changeOperatorSetting: (name, change) =>
      engine.change([bind(keep, name, ""), bind(lock, name)], ([, found]) => {
        const before = (found && readSetting(found)) || null;
        const after = change(before);
        const recorded = record({ kind: "setting", name, before, after });
        return { writes: [bind(set, name, after), ...recorded], toResult: () => after };
      }),
  } satisfies Partial<Changes>;
}

function readSetting([found]: Result): string | null {
  return found ? readText(found, "value") : null;
}
