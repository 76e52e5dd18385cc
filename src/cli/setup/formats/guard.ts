// Changes a settings file as text, and lets no change through that its parsed value doesn't confirm.
import type { JsonObject } from "../../../core/json/json.ts";
import { type SettingChange, SettingsError, type SettingsFormat } from "./format.ts";
import { applyChange, isEqual } from "./values.ts";

/** Returns the text with all changes made. Changes that change nothing leave its bytes. */
export function changeSettings(
  format: SettingsFormat,
  text: string,
  changes: readonly SettingChange[],
): string {
  let value: JsonObject = format.parse(text);
  let changed = text;
  for (const change of changes) {
    const next = applyChange(value, change);
    if (next === value) continue;
    changed = format.change(changed, change);
    value = next;
  }
  if (changed !== text && !isEqual(readBack(format, changed), value))
    throw new SettingsError("this file can't be changed without changing something else in it");
  return changed;
}

function readBack(format: SettingsFormat, changed: string): JsonObject | null {
  try {
    return format.parse(changed);
  } catch (error) {
    if (error instanceof SettingsError) return null;
    throw error;
  }
}
