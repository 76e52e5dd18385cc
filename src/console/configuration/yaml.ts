// Writes a change of the configuration as YAML.

export type Tree =
  | string
  | number
  | boolean
  | null
  | readonly Tree[]
  | { readonly [name: string]: Tree | undefined };

/** Words that YAML reads as something else than a text, and names that need no quotes. */
const OTHER = /^(true|false|null|yes|no|on|off|y|n)$/i;
const PLAIN = /^[A-Za-z_][\w.-]*$/;

/** Returns lines without a break at the end. Fields that are undefined are left out. */
export function writeYaml(tree: Tree, indent = ""): string {
  if (isList(tree)) return tree.map((item) => writeItem(item, indent)).join("\n");
  if (!isMapping(tree)) return indent + writeScalar(tree);
  return Object.entries(tree)
    .flatMap(([name, value]) => (value === undefined ? [] : [writeField(name, value, indent)]))
    .join("\n");
}

function writeField(name: string, value: Tree, indent: string): string {
  const start = `${indent}${writeScalar(name)}:`;
  if (isList(value)) {
    const isFlat = value.every((item) => !isList(item) && !isMapping(item));
    return isFlat
      ? `${start} [${value.map((item) => writeYaml(item)).join(", ")}]`
      : `${start}\n${writeYaml(value, `${indent}  `)}`;
  }
  if (!isMapping(value)) return `${start} ${writeScalar(value)}`;
  return Object.keys(value).length === 0 ? `${start} {}` : `${start}\n${writeYaml(value, `${indent}  `)}`;
}

function writeItem(item: Tree, indent: string): string {
  return `${indent}- ${writeYaml(item, `${indent}  `).trimStart()}`;
}

function isList(tree: Tree): tree is readonly Tree[] {
  return Array.isArray(tree);
}

function isMapping(tree: Tree): tree is { readonly [name: string]: Tree | undefined } {
  return typeof tree === "object" && tree !== null && !isList(tree);
}

/** JSON's texts are YAML's in double quotes. */
function writeScalar(value: string | number | boolean | null): string {
  return typeof value === "string" && PLAIN.test(value) && !OTHER.test(value) ? value : JSON.stringify(value);
}

/** Returns what stands for a secret: the environment variable that the operator named, whatever was typed. */
export function writeReference(typed: string): string {
  const name = typed
    .trim()
    .replace(/^\$\{(.*)\}$/, "$1")
    .replaceAll(/\W+/g, "_")
    .toUpperCase();
  return `\${${/^\d/.test(name) ? `_${name}` : name}}`;
}

/** Returns a number where one is typed, and anything else for the gateway to check. */
export function readNumber(typed: string): number | string {
  const text = typed.trim();
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Returns the words of a list, or undefined without any. */
export function readWords(typed: string): readonly string[] | undefined {
  const words = typed.split(/[\s,]+/).filter((word) => word !== "");
  return words.length === 0 ? undefined : words;
}
