// Assembles the part of WebAssembly's text format that `src/core` uses (webassembly.github.io/spec/core).

type Node = string | readonly Node[];

const TYPES: Readonly<Record<string, number>> = { i32: 0x7f, v128: 0x7b };
const NO_RESULT = 0x40;
const FUNCTION = 0x60;
const BLOCK = 0x02;
const LOOP = 0x03;
const IF = 0x04;
const ELSE = 0x05;
const END = 0x0b;
const EXPORTED = { func: 0, memory: 2, global: 3 } as const;
const SECTIONS = { types: 1, functions: 3, memories: 5, globals: 6, exports: 7, code: 10 } as const;

/** Instructions that only take operands. */
const PLAIN: Readonly<Record<string, readonly number[]>> = {
  "i32.eq": [0x46],
  "i32.lt_s": [0x48],
  "i32.gt_s": [0x4a],
  "i32.gt_u": [0x4b],
  "i32.le_u": [0x4d],
  "i32.ge_s": [0x4e],
  "i32.ctz": [0x68],
  "i32.popcnt": [0x69],
  "i32.add": [0x6a],
  "i32.sub": [0x6b],
  "i32.mul": [0x6c],
  "i32.and": [0x71],
  "i32.or": [0x72],
  "i32.shl": [0x74],
  "i8x16.splat": [0xfd, 0x0f],
  "i8x16.eq": [0xfd, 0x23],
  "i8x16.lt_u": [0xfd, 0x26],
  "i8x16.le_u": [0xfd, 0x2a],
  "i8x16.ge_u": [0xfd, 0x2c],
  "v128.and": [0xfd, 0x4e],
  "v128.or": [0xfd, 0x50],
  "i8x16.bitmask": [0xfd, 0x64],
  "i8x16.sub": [0xfd, 0x71],
  "i16x8.extend_low_i8x16_s": [0xfd, 0x87, 0x01],
  "i16x8.extend_high_i8x16_s": [0xfd, 0x88, 0x01],
  "i32x4.extend_low_i16x8_s": [0xfd, 0xa7, 0x01],
  "i32x4.extend_high_i16x8_s": [0xfd, 0xa8, 0x01],
  "f32x4.convert_i32x4_s": [0xfd, 0xfa, 0x01],
  "f32x4.add": [0xfd, 0xe4, 0x01],
  "f32x4.mul": [0xfd, 0xe6, 0x01],
  "f64x2.promote_low_f32x4": [0xfd, 0x5f],
  "f64x2.add": [0xfd, 0xf0, 0x01],
  "f64x2.mul": [0xfd, 0xf2, 0x01],
};
/** Instructions on memory, with the alignment that they state. */
const ON_MEMORY: Readonly<Record<string, readonly number[]>> = {
  "i32.load8_u": [0x2d, 0],
  "i32.load16_u": [0x2f, 0],
  "i32.load": [0x28, 0],
  "i32.store": [0x36, 0],
  "v128.load": [0xfd, 0x00, 0],
  "v128.load32_splat": [0xfd, 0x09, 0],
  "v128.load64_splat": [0xfd, 0x0a, 0],
  "v128.load64_zero": [0xfd, 0x5d, 0],
  "v128.store": [0xfd, 0x0b, 0],
};
const ON_LOCALS: Readonly<Record<string, number>> = { "local.get": 0x20, "local.set": 0x21 };
const ON_GLOBALS: Readonly<Record<string, number>> = { "global.get": 0x23, "global.set": 0x24 };
const BRANCHES: Readonly<Record<string, number>> = { br: 0x0c, br_if: 0x0d };

/** Returns the module as bytes. Throws an Error that names what it doesn't know. */
export function assemble(source: string): Uint8Array {
  const [head, ...fields] = listOf(parse(source));
  if (head !== "module") throw new Error("The source is not a module.");
  const of = (kind: string) => fields.map(listOf).filter(([name]) => name === kind);
  const kinds = { memory: of("memory"), global: of("global"), func: of("func") };
  const nameAll = (fieldsOfKind: readonly (readonly Node[])[]) =>
    new Map(fieldsOfKind.map(([, name], at) => [String(name), at]));
  const names = { globals: nameAll(kinds.global), functions: nameAll(kinds.func) };
  const exported = (["memory", "global", "func"] as const).flatMap((kind) =>
    kinds[kind].flatMap((field, at) => {
      const name = partsOf(field, "export")[0]?.[1];
      return name === undefined ? [] : [[...text(String(name)), EXPORTED[kind], ...unsigned(at)]];
    }),
  );
  return Uint8Array.from([
    0x00,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(SECTIONS.types, kinds.func.map(typeOf)),
    ...section(
      SECTIONS.functions,
      kinds.func.map((_, at) => unsigned(at)),
    ),
    ...section(
      SECTIONS.memories,
      kinds.memory.map((field) => [0, ...unsigned(Number(field.at(-1)))]),
    ),
    ...section(SECTIONS.globals, kinds.global.map(globalOf)),
    ...section(SECTIONS.exports, exported),
    ...section(
      SECTIONS.code,
      kinds.func.map((field) => codeOf(field, names)),
    ),
  ]);
}

function parse(source: string): Node {
  const tokens = source.replace(/;;.*/g, "").match(/\(|\)|"[^"]*"|[^\s()"]+/g) ?? [];
  let at = 0;
  const next = (): Node => {
    const token = tokens[at++];
    if (token === undefined) throw new Error("A bracket is not closed.");
    if (token !== "(") return token.replaceAll('"', "");
    const nodes: Node[] = [];
    while (tokens[at] !== ")") nodes.push(next());
    at++;
    return nodes;
  };
  return next();
}

function listOf(node: Node): readonly Node[] {
  if (typeof node === "string") throw new Error(`'${node}' is not in brackets.`);
  return node;
}

/** Returns the parts of a field that begin with this word. */
function partsOf(field: readonly Node[], word: string): readonly (readonly Node[])[] {
  return field.flatMap((part) => (typeof part !== "string" && part[0] === word ? [part] : []));
}

function typeOf(field: readonly Node[]): readonly number[] {
  const types = (word: string) => partsOf(field, word).map((part) => valueType(part.at(-1)));
  return [
    FUNCTION,
    ...vector(types("param").map((one) => [one])),
    ...vector(types("result").map((one) => [one])),
  ];
}

function valueType(name: Node | undefined): number {
  const type = TYPES[String(name)];
  if (type === undefined) throw new Error(`The type '${name}' is unknown.`);
  return type;
}

/** All globals may change. */
function globalOf(field: readonly Node[]): readonly number[] {
  const [, type] = partsOf(field, "mut")[0] ?? [];
  const [, start] = partsOf(field, "i32.const")[0] ?? [];
  return [valueType(type), 1, 0x41, ...signed(Number(start)), END];
}

function codeOf(field: readonly Node[], names: Names): readonly number[] {
  const named = (word: string) => partsOf(field, word).map(([, name]) => String(name));
  const locals = new Map([...named("param"), ...named("local")].map((name, at) => [name, at]));
  const isCode = (part: Node) =>
    typeof part !== "string" && !["export", "param", "result", "local"].includes(String(part[0]));
  const types = partsOf(field, "local").map((part) => [1, valueType(part.at(-1))]);
  const write = new CodeWriter(locals, names);
  const body = [
    ...vector(types),
    ...field
      .slice(1)
      .filter(isCode)
      .flatMap((part) => write.code(part)),
    END,
  ];
  return [...unsigned(body.length), ...body];
}

/** The places of what has a name in the module. */
interface Names {
  readonly globals: ReadonlyMap<string, number>;
  readonly functions: ReadonlyMap<string, number>;
}

class CodeWriter {
  readonly #locals: ReadonlyMap<string, number>;
  readonly #names: Names;
  /** The labels of the blocks around, innermost last. An `if` has none. */
  readonly #labels: string[] = [];

  constructor(locals: ReadonlyMap<string, number>, names: Names) {
    this.#locals = locals;
    this.#names = names;
  }

  /** Operands come before their instruction. */
  code(node: Node): number[] {
    const [word, ...rest] = listOf(node);
    const name = String(word);
    if (name === "if") return this.#if(rest);
    if (name === "block" || name === "loop") {
      const [label, ...parts] = rest;
      return [name === "block" ? BLOCK : LOOP, NO_RESULT, ...this.#within(String(label), parts), END];
    }
    const operands = rest.filter((part) => typeof part !== "string").flatMap((part) => this.code(part));
    return [
      ...operands,
      ...this.#instruction(
        name,
        rest.find((part) => typeof part === "string"),
      ),
    ];
  }

  #if(parts: readonly Node[]): number[] {
    const condition = parts.filter((part) => !["then", "else"].includes(String(listOf(part)[0])));
    const [, ...then] = partsOf(parts, "then")[0] ?? [];
    const [word, ...otherwise] = partsOf(parts, "else")[0] ?? [];
    return [
      ...condition.flatMap((part) => this.code(part)),
      IF,
      NO_RESULT,
      ...this.#within("", then),
      ...(word === undefined ? [] : [ELSE, ...this.#within("", otherwise)]),
      END,
    ];
  }

  #within(label: string, parts: readonly Node[]): number[] {
    this.#labels.push(label);
    const code = parts.flatMap((part) => this.code(part));
    this.#labels.pop();
    return code;
  }

  #instruction(name: string, given: Node | undefined): readonly number[] {
    const word = String(given);
    if (name === "i32.const") return [0x41, ...signed(Number(word))];
    if (PLAIN[name]) return PLAIN[name];
    if (ON_MEMORY[name])
      return [...ON_MEMORY[name], ...unsigned(Number(/^offset=(\d+)$/.exec(word)?.[1] ?? 0))];
    if (ON_LOCALS[name]) return [ON_LOCALS[name], ...unsigned(find(this.#locals, word))];
    if (ON_GLOBALS[name]) return [ON_GLOBALS[name], ...unsigned(find(this.#names.globals, word))];
    if (name === "call") return [0x10, ...unsigned(find(this.#names.functions, word))];
    const label = this.#labels.lastIndexOf(word);
    if (BRANCHES[name] && label !== -1) return [BRANCHES[name], ...unsigned(this.#labels.length - 1 - label)];
    throw new Error(`'${name} ${word}' is unknown.`);
  }
}

function find(places: ReadonlyMap<string, number>, name: string): number {
  const place = places.get(name);
  if (place === undefined) throw new Error(`'${name}' is unknown.`);
  return place;
}

function section(id: number, parts: readonly (readonly number[])[]): readonly number[] {
  const bytes = vector(parts);
  return [id, ...unsigned(bytes.length), ...bytes];
}

function vector(parts: readonly (readonly number[])[]): readonly number[] {
  return [...unsigned(parts.length), ...parts.flat()];
}

function text(value: string): readonly number[] {
  const bytes = new TextEncoder().encode(value);
  return [...unsigned(bytes.length), ...bytes];
}

/** LEB128. */
function unsigned(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): readonly number[] {
  const rest = value >> 7;
  const low = value & 0x7f;
  const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
