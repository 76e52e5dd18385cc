// Fills the placeholders of the table of clients with the gateway's address, its models and the key, or the way to it.
import type { Template } from "../../docs/site/client-setups.ts";

export interface Filling {
  readonly address: string;
  readonly key: string;
  readonly model: string;
  readonly smallModel: string;
  readonly keyFile: string;
  /** The command that prints the key: a program and its arguments. */
  readonly keyCommand: readonly [program: string, ...args: string[]];
}

const ARGUMENTS = "{key_arguments}";
const PLACEHOLDER = /\{([a-z_]+\/?)\}/g;

/** A name that isn't known stays as it is. */
export function fillText(text: string, filling: Filling): string {
  const { address, key, model, smallModel, keyFile, keyCommand } = filling;
  const values: Readonly<Record<string, string>> = {
    address,
    key,
    model,
    "model/": writeSlash(model),
    small_model: smallModel,
    "small_model/": writeSlash(smallModel),
    key_file: keyFile,
    key_program: keyCommand[0],
    key_shell: keyCommand.map(quoteForShell).join(" "),
  };
  return text.replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}

export function fillTemplate(template: Template, filling: Filling): unknown {
  if (template === ARGUMENTS) return filling.keyCommand.slice(1);
  if (typeof template === "string") return fillText(template, filling);
  if (typeof template !== "object") return template;
  if (isList(template)) return template.map((one) => fillTemplate(one, filling));
  return Object.fromEntries(
    Object.entries(template).map(([name, one]) => [fillText(name, filling), fillTemplate(one, filling)]),
  );
}

const isList = (template: Template): template is readonly Template[] => Array.isArray(template);

/** True if the key itself is written. */
export function holdsKey(template: Template): boolean {
  return JSON.stringify(template).includes("{key}");
}

/** True if the key's file is named. */
export function namesKeyFile(template: Template): boolean {
  return /\{key_(file|shell|program|arguments)\}/.test(JSON.stringify(template));
}

/** Some agents drop all that follows a `#`. */
function writeSlash(model: string): string {
  return model.replace("#", "/");
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

function quoteForShell(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
