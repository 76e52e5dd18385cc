// Reads the vendors' SDKs' type declarations as shapes: what a body may hold, field by field.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MODULES } from "../../../surfaces/declarations.ts";

export type Shape =
  | { readonly kind: "string" | "number" | "any" | "other" }
  | { readonly kind: "literal"; readonly value: string }
  | { readonly kind: "list" | "map"; readonly of: Shape }
  | { readonly kind: "union" | "both"; readonly of: readonly Shape[] }
  | { readonly kind: "named"; readonly name: string; readonly within: string }
  | ObjectShape;

export interface ObjectShape {
  readonly kind: "object";
  readonly fields: ReadonlyMap<string, { readonly isOptional: boolean; readonly shape: Shape }>;
}

const OTHER: Shape = { kind: "other" };
const PLAIN: Readonly<Record<string, Shape>> = {
  string: { kind: "string" },
  number: { kind: "number" },
  unknown: { kind: "any" },
  any: { kind: "any" },
  object: { kind: "any" },
};
const TOKEN = /\s+|\/\*[\s\S]*?\*\/|\/\/[^\n]*|("[^"]*"|'[^']*'|`[^`]*`)|([\w$]+)|(=>|\.\.\.|[^\s\w$])/g;

/** The declarations of one package's files. A name in a namespace is `Holder.Name`. */
export class SdkTypes {
  readonly #declared = new Map<string, Shape>();
  #tokens: readonly string[] = [];
  #at = 0;
  #within = "";

  constructor(files: readonly string[]) {
    for (const file of files) {
      const text = readFileSync(join(MODULES, file), "utf8");
      this.#tokens = [...text.matchAll(TOKEN)].flatMap(
        ([, quoted, word, sign]) => quoted ?? word ?? sign ?? [],
      );
      this.#at = 0;
      this.#within = "";
      this.#readStatements();
    }
  }

  /** Returns what a name stands for, as seen from a namespace, with its whole name. Null for one of another package. */
  find(name: string, within = ""): { readonly name: string; readonly shape: Shape } | null {
    const holders = within === "" ? [] : within.split(".");
    const parts = name.split(".");
    for (let from = 0; from < parts.length; from++) {
      for (let depth = holders.length; depth >= 0; depth--) {
        const whole = [...holders.slice(0, depth), ...parts.slice(from)].join(".");
        const shape = this.#declared.get(whole);
        if (shape) return { name: whole, shape };
      }
    }
    return null;
  }

  /** Reads a type that stands in no file, such as the body that an SDK sends for its own parameters. */
  declare(name: string, text: string): void {
    this.#tokens = [...text.matchAll(TOKEN)].flatMap(
      ([, quoted, word, sign]) => quoted ?? word ?? sign ?? [],
    );
    this.#at = 0;
    this.#within = "";
    this.#declared.set(name, this.#readUnion());
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? "";
  }

  #takes(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#at++;
    return true;
  }

  #readStatements(): void {
    const holders: string[] = [];
    while (this.#at < this.#tokens.length) {
      const token = this.#next();
      if (token === "namespace" && this.#tokens[this.#at + 1] === "{") {
        holders.push(this.#within);
        this.#within = this.#name(this.#next());
        this.#at++;
      } else if (token === "interface") this.#readInterface();
      else if (token === "type" && /^[\w$]+$/.test(this.#peek())) this.#readAlias();
      else if (token === "enum") this.#readEnum();
      else if (token === "{") this.#skipTo("}");
      else if (token === "}") this.#within = holders.pop() ?? "";
    }
  }

  #name(name: string): string {
    return this.#within === "" ? name : `${this.#within}.${name}`;
  }

  /** The first declaration of a name stands: later files are read for what the first leaves open. */
  #declare(name: string, shape: Shape): void {
    if (!this.#declared.has(this.#name(name))) this.#declared.set(this.#name(name), shape);
  }

  #readInterface(): void {
    const name = this.#next();
    this.#skipParameters();
    const bases: Shape[] = [];
    if (this.#takes("extends"))
      do bases.push(this.#readPrimary());
      while (this.#takes(","));
    if (!this.#takes("{")) return;
    const own = this.#readFields();
    this.#declare(name, bases.length === 0 ? own : { kind: "both", of: [own, ...bases] });
  }

  #readAlias(): void {
    const name = this.#next();
    this.#skipParameters();
    if (this.#takes("=")) this.#declare(name, this.#readUnion());
  }

  #readEnum(): void {
    const name = this.#next();
    this.#next();
    const of: Shape[] = [];
    while (!this.#takes("}") && this.#peek() !== "") {
      const token = this.#next();
      if (/^["']/.test(token)) of.push({ kind: "literal", value: token.slice(1, -1) });
    }
    this.#declare(name, { kind: "union", of });
  }

  #skipParameters(): void {
    if (this.#takes("<")) this.#skipTo(">");
  }

  /** Skips what is left of a bracket that has been opened. */
  #skipTo(end: string): void {
    const start = { "}": "{", ">": "<", ")": "(" }[end];
    for (let open = 1; open > 0 && this.#peek() !== ""; ) {
      const token = this.#next();
      if (token === start) open++;
      else if (token === end) open--;
    }
  }

  #readFields(): Shape {
    const fields = new Map<string, { isOptional: boolean; shape: Shape }>();
    let held: Shape | null = null;
    while (!this.#takes("}") && this.#peek() !== "") {
      this.#takes("readonly");
      if (this.#takes("[")) {
        while (!this.#takes("]")) this.#at++;
        this.#takes("?");
        if (this.#takes(":")) held = { kind: "map", of: this.#readUnion() };
      } else this.#readField(fields);
      this.#takes(";");
      this.#takes(",");
    }
    const own: Shape = { kind: "object", fields };
    if (held === null) return own;
    return fields.size === 0 ? held : { kind: "both", of: [own, held] };
  }

  #readField(fields: Map<string, { isOptional: boolean; shape: Shape }>): void {
    const name = this.#next().replace(/^["']|["']$/g, "");
    const isOptional = this.#takes("?");
    this.#skipParameters();
    if (this.#takes("(")) {
      this.#skipTo(")");
      if (this.#takes(":")) this.#readUnion();
    } else if (this.#takes(":")) fields.set(name, { isOptional, shape: this.#readUnion() });
  }

  #readUnion(): Shape {
    const of: Shape[] = [];
    this.#takes("|");
    do of.push(this.#readBoth());
    while (this.#takes("|"));
    if (this.#takes("extends")) {
      this.#readUnion();
      if (this.#takes("?")) this.#readUnion();
      if (this.#takes(":")) this.#readUnion();
      return OTHER;
    }
    return of.length === 1 ? (of[0] ?? OTHER) : { kind: "union", of };
  }

  #readBoth(): Shape {
    const of = [this.#readPostfix()];
    while (this.#takes("&")) of.push(this.#readPostfix());
    return of.length === 1 ? (of[0] ?? OTHER) : { kind: "both", of };
  }

  #readPostfix(): Shape {
    let shape = this.#readPrimary();
    while (this.#takes("[")) {
      if (this.#takes("]")) shape = { kind: "list", of: shape };
      else {
        this.#readUnion();
        this.#takes("]");
        shape = OTHER;
      }
    }
    return shape;
  }

  #readPrimary(): Shape {
    const token = this.#next();
    if (token === "{") return this.#readFields();
    if (token === "(") return this.#readBracket();
    if (token === "[") return this.#readTuple();
    if (/^["'`]/.test(token)) return { kind: "literal", value: token.slice(1, -1) };
    if (["keyof", "typeof", "readonly", "unique"].includes(token)) {
      const shape = this.#readPostfix();
      return token === "readonly" ? shape : OTHER;
    }
    let name = token;
    while (this.#peek() === "." && this.#at++) name += `.${this.#next()}`;
    const given: Shape[] = [];
    if (this.#takes("<")) {
      do given.push(this.#readUnion());
      while (this.#takes(","));
      this.#takes(">");
    }
    return this.#name_(name, given);
  }

  #readBracket(): Shape {
    const from = this.#at;
    this.#skipTo(")");
    if (this.#takes("=>")) {
      this.#readUnion();
      return OTHER;
    }
    this.#at = from;
    const shape = this.#readUnion();
    this.#takes(")");
    return shape;
  }

  #readTuple(): Shape {
    const of: Shape[] = [];
    while (!this.#takes("]") && this.#peek() !== "") {
      of.push(this.#readUnion());
      this.#takes(",");
    }
    return { kind: "list", of: { kind: "union", of } };
  }

  #name_(name: string, given: readonly Shape[]): Shape {
    const [first = OTHER, second = OTHER] = given;
    if (/^(Array|ReadonlyArray|Iterable|ArrayLike)$/.test(name)) return { kind: "list", of: first };
    if (/^Record$|^Map$/.test(name)) return { kind: "map", of: second };
    if (/^(Omit|Pick|Partial|Required|Readonly|Promise|ClosedEnum|OpenEnum)$/.test(name)) return first;
    return PLAIN[name] ?? { kind: "named", name, within: this.#within };
  }
}
