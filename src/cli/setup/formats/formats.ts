// The formats of settings files, by name.
import { DOTENV_EDITOR } from "./dotenv.ts";
import { type SettingChange, type SettingsEditor, SettingsError, type SettingsFormat } from "./format.ts";
import { JSON_EDITOR, STRICT_JSON_EDITOR } from "./json.ts";
import { TOML_EDITOR } from "./toml.ts";
import { listTaken, readField, readList } from "./values.ts";
import { YAML_EDITOR } from "./yaml.ts";

/** No program's settings come near. */
const BYTES_MAX = 1_048_576;
const BYTE_ORDER_MARK = "\uFEFF";

export const FORMATS = {
  json: makeFormat(JSON_EDITOR),
  toml: makeFormat(TOML_EDITOR),
  yaml: makeFormat(YAML_EDITOR),
  dotenv: makeFormat(DOTENV_EDITOR),
} satisfies Readonly<Record<string, SettingsFormat>>;

/** JSON for an agent that takes nothing beyond its standard. */
export const STRICT_JSON = makeFormat(STRICT_JSON_EDITOR);

function makeFormat(editor: SettingsEditor): SettingsFormat {
  return {
    parse: (text) => editor.parse(splitMark(text).body),
    change: (text, change) => {
      const { mark, body } = splitMark(text);
      return mark + changeBody(editor, body, change);
    },
  };
}

function changeBody(editor: SettingsEditor, body: string, change: SettingChange): string {
  const { path } = change;
  if (path.length === 0) throw new SettingsError("a field's path is missing");
  const before = readField(editor.parse(body), path);
  if (change.kind === "set") return editor.set(body, path, change.value);
  if (before === undefined && change.kind !== "first") return body;
  if (change.kind === "remove") return editor.remove(body, path);
  if (change.kind === "first" && !Array.isArray(before)) {
    readList(before, path);
    return editor.set(body, path, [change.value]);
  }
  const taken = Array.isArray(before) ? listTaken(before, change) : new Set<number>();
  const left = taken.size === 0 ? body : editor.takeOut(body, path, taken);
  return change.kind === "first" ? editor.putFirst(left, path, change.value) : left;
}

/** Throws for what no settings file holds. */
function splitMark(text: string): { readonly mark: string; readonly body: string } {
  if (Buffer.byteLength(text) > BYTES_MAX) throw new SettingsError("the file is larger than 1 MB");
  if (text.includes("\0") || !text.isWellFormed()) throw new SettingsError("the file isn't text in UTF-8");
  // Some programs take it for a line's end, others don't.
  if (/\r(?!\n)/.test(text)) throw new SettingsError("a line ends in a carriage return alone");
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  return { mark, body: text.slice(mark.length) };
}
