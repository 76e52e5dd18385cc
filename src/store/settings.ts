// The store's settings, by name.
import type { Store } from "../core/store.ts";
import { bind, type Engine, type Result } from "./engine.ts";
import { readText } from "./found.ts";

export function settingMethods({ mark, forUpdate, run, runAll, change: changeRows }: Engine) {
  const find = `SELECT value FROM setting WHERE name = ${mark(1)}`;
  const insert = `INSERT INTO setting (name, value) VALUES (${mark(1)}, ${mark(2)}) ON CONFLICT (name)`;
  const keep = `${insert} DO NOTHING`;
  const set = `${insert} DO UPDATE SET value = excluded.value`;
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
      changeRows([bind(keep, name, ""), bind(`${find} ${forUpdate}`, name)], ([, found]) => {
        const value = change((found && readSetting(found)) || null);
        return { writes: [bind(set, name, value)], toResult: () => value };
      }),
  } satisfies Partial<Store>;
}

function readSetting([found]: Result): string | null {
  return found ? readText(found, "value") : null;
}
