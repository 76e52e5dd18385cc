// Reads names out of the vendors' SDKs: their type declarations list every beta, block and tool that exists today.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const MODULES = join(import.meta.dir, "..", "..", "node_modules");

/** One declaration file, without comments. */
export class Declarations {
  readonly #text: string;

  constructor(path: string, modules = MODULES) {
    this.#text = readFileSync(join(modules, path), "utf8").replace(/\/\*\*[\s\S]*?\*\//g, "");
  }

  /** The string literals of a union type. */
  listLiterals(name: string): readonly string[] {
    return listQuoted(this.#readUnion(name));
  }

  /** The values of `type` of all members of a union, those of unions within it included. */
  listTypes(name: string): readonly string[] {
    const members = this.#readUnion(name).split("|");
    return [...new Set(members.flatMap((member) => this.#listMember(member.trim())))];
  }

  /** The fields of an interface. */
  listFields(name: string): readonly string[] {
    return [...this.#readInterface(name).matchAll(/^ {4}(\w+)\??:/gm)].flatMap(([, field]) => field ?? []);
  }

  /** The values of `type` of all members of a field's union. */
  listFieldTypes(name: string, field: string): readonly string[] {
    const union = new RegExp(`^ {4}${field}\\??: ([^;]+);`, "m").exec(this.#readInterface(name))?.[1] ?? "";
    const members = union
      .replace(/\bArray<|>/g, "")
      .split("|")
      .map((member) => member.trim());
    return members.filter((member) => member !== "string").flatMap((member) => this.#listMember(member));
  }

  /** The fields that any interface declares as a string, or as a list of strings. */
  listFreeTexts(): readonly string[] {
    const fields = this.#text.matchAll(/^ +(\w+)\??: (?:string|Array<string>|string\[\])(?: \| null)?;/gm);
    return [...new Set([...fields].flatMap(([, field]) => field ?? []))];
  }

  #listMember(member: string): readonly string[] {
    const name = member.split(".").at(-1) ?? member;
    const object = this.#text.search(new RegExp(`\\btype ${name} = \\{`));
    if (object !== -1) {
      const fields = this.#text.slice(object, this.#text.indexOf("\n};", object));
      return listQuoted(/^ {4}type\??: ([^;]+);/m.exec(fields)?.[1] ?? "");
    }
    if (new RegExp(`\\btype ${name} =`).test(this.#text)) return this.listTypes(name);
    const types = [...this.#readInterface(member).matchAll(/^ +type\??: ([^;]+);/gm)][0]?.[1] ?? "";
    return listQuoted(types);
  }

  #readUnion(name: string): string {
    // A namespace may repeat the name for another module.
    const own = this.#text.search(new RegExp(`^declare type ${name} =`, "m"));
    const start = own === -1 ? this.#text.search(new RegExp(`\\btype ${name} =`)) : own;
    if (start === -1) throw new Error(`There is no type ${name}.`);
    return this.#text.slice(this.#text.indexOf("=", start) + 1, this.#text.indexOf(";", start));
  }

  /** The text of an interface up to its end. `A.B` is in the namespace A. */
  #readInterface(name: string): string {
    const [holder, inner] = name.includes(".") ? name.split(".") : [undefined, name];
    const from = holder === undefined ? 0 : this.#text.search(new RegExp(`\\bnamespace ${holder} \\{`));
    const rest = this.#text.slice(Math.max(0, from));
    const at = rest.search(new RegExp(`\\b(interface|class) ${inner}\\b[^\\n]*\\{`));
    if (from === -1 || at === -1) throw new Error(`There is no interface ${name}.`);
    const indent = /( *)[\w ]*$/.exec(rest.slice(0, at))?.[1] ?? "";
    return rest.slice(at, rest.indexOf(`\n${indent}}`, at));
  }
}

function listQuoted(types: string): readonly string[] {
  return [...types.matchAll(/['"]([^'"]+)['"]/g)].flatMap(([, literal]) => literal ?? []);
}
