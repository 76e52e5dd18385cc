// The changes of settings files, and the port to a format of them.
import type { JsonObject } from "../../../core/json/json.ts";

/** Keys from the outside in. */
export type SettingPath = readonly string[];

export type SettingChange =
  /** Replaces the field whole, and makes the objects around it where there are none. */
  | { readonly kind: "set"; readonly path: SettingPath; readonly value: unknown }
  /** Changes nothing if the field isn't there. Leaves the object around it, even if it is empty then. */
  | { readonly kind: "remove"; readonly path: SettingPath }
  /** Puts an entry before the others of a list. Takes out those whose fields in `same` equal the new one's. */
  | {
      readonly kind: "first";
      readonly path: SettingPath;
      readonly value: JsonObject;
      readonly same: readonly string[];
    }
  /** Takes the entries out that equal `value` wholly. */
  | { readonly kind: "drop"; readonly path: SettingPath; readonly value: JsonObject };

export interface SettingsFormat {
  /** Returns the file's value; that of an empty text is {}. Throws `SettingsError` for a text that isn't of this format. */
  parse(text: string): JsonObject;
  /** Returns the text with the change made, and all else as it was. Throws `SettingsError` where it can't. */
  change(text: string, change: SettingChange): string;
}

/** The four edits that a format makes. Paths have a key at least, and the text no byte order mark. */
export interface SettingsEditor {
  parse(text: string): JsonObject;
  set(text: string, path: SettingPath, value: unknown): string;
  /** The field is there. */
  remove(text: string, path: SettingPath): string;
  /** The list is there, and has these entries. */
  takeOut(text: string, path: SettingPath, indexes: ReadonlySet<number>): string;
  /** The list is there. */
  putFirst(text: string, path: SettingPath, value: JsonObject): string;
}

/** A settings file that can't be read, or can't be changed without harm. The message never quotes the file's values. */
export class SettingsError extends Error {}
