// Visits the nodes of a client's own request body (messages, blocks, parts, tools), by a table of each family's nodes.
import { Fault } from "../core/faults/fault.ts";
import { followMade, isGrowing, ListProgress } from "../core/json/growing.ts";
import { isObject, type JsonObject } from "../core/json/json.ts";
import { type Form, findForm, type Grammar, type Holding, type Nodes } from "../operations/text-grammar.ts";

/** The place of a value in the body. Written only when it is needed. */
export interface Path {
  /** The place of the value that holds it. */
  readonly holder: string;
  toString(): string;
}

export interface Visitor<Kind extends string> {
  /**
   * Called with each node before its fields. Returns the node as it stays, or null to leave it out. `isKnown` is false
   * if the table has no form for its type. May throw a Fault.
   */
  enter(kind: Kind, node: JsonObject, path: Path, isKnown: boolean): JsonObject | null;
  /** Returns the nodes that take the place of one in a list, and are entered instead. Null if it stays one. */
  split?(kind: Kind, node: JsonObject): readonly JsonObject[] | null;
  /** Called with each field outside the client's own JSON, at any depth. May throw a Fault. */
  checkField(field: string, value: unknown, path: Path): void;
  /** Called with the type of each object within settings. May throw a Fault. */
  checkSetting(type: string, path: Path): void;
  /** All that the result depends on beside a node itself and those before it. Missing if it depends on others. */
  readonly rules?: object;
  /** Returns how much was found so far. */
  countFound(): number;
  /** All that the result depends on of the nodes before, as a yes or no. Missing if it depends on none. */
  trace?: boolean;
}

class WalkedPath implements Path {
  readonly #steps: (string | number)[] = [];

  push(step: string | number): void {
    this.#steps.push(step);
  }

  pop(): void {
    this.#steps.pop();
  }

  get holder(): string {
    return formatSteps(this.#steps.slice(0, -1));
  }

  toString(): string {
    return formatSteps(this.#steps);
  }
}

function formatSteps(steps: readonly (string | number)[]): string {
  const written = steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
  return written.join("").replace(/^\./, "");
}

/**
 * Returns the body with the changes of the visitor, or the same body if there are none. Throws the Fault
 * `invalid_type` for a value of another shape than the table expects. Linear in the body; its depth is bounded.
 */
export function rewriteBody<Kind extends string>(
  grammar: Grammar<Kind>,
  kind: Kind,
  body: JsonObject,
  visitor: Visitor<Kind>,
): JsonObject {
  return new BodyWalk(grammar, visitor).node(kind, body) ?? {};
}

/** Null if it is left out, and a list if it was split. */
type BodyElement = JsonObject | readonly JsonObject[] | null;

/** An element in which nothing was found. */
interface VisitedNode {
  readonly node: BodyElement;
  /** The visitor's, behind it. */
  readonly trace: boolean | undefined;
}

/** The first elements of lists, in which nothing was found. */
const VISITED = new ListProgress<readonly VisitedNode[]>();

class BodyWalk<Kind extends string> {
  readonly #grammar: Grammar<Kind>;
  readonly #visitor: Visitor<Kind>;
  readonly #path = new WalkedPath();

  constructor(grammar: Grammar<Kind>, visitor: Visitor<Kind>) {
    this.#grammar = grammar;
    this.#visitor = visitor;
  }

  /** Null if the node is left out. */
  node(kind: Kind, given: JsonObject): JsonObject | null {
    const form = findForm(this.#grammar.kinds[kind], given);
    const node = this.#visitor.enter(kind, given, this.#path, form !== undefined);
    if (node === null) return null;
    let changes: Map<string, unknown> | null = null;
    for (const field in node) {
      const value = node[field];
      if (value === null || value === undefined) continue;
      this.#path.push(field);
      this.#visitor.checkField(field, value, this.#path);
      const holding = this.#findHolding(kind, form, field);
      const kept = this.#field(holding, value);
      this.#path.pop();
      if (kept === value) continue;
      if (isEmpty(kept) && isNeeded(holding)) return null;
      changes ??= new Map();
      changes.set(field, kept);
    }
    return changes === null ? node : applyChanges(node, changes);
  }

  /** Returns undefined for a field that the form doesn't list, and that may hold blocks. */
  #findHolding(kind: Kind, form: Form<Kind> | undefined, field: string): Holding<Kind> | undefined {
    const spelled = this.#grammar.spell?.(field) ?? field;
    const others = this.#grammar.kinds[kind].others === undefined ? undefined : "setting";
    return form?.get(spelled) ?? (spelled === "type" ? "setting" : others);
  }

  #field(holding: Holding<Kind> | undefined, value: unknown): unknown {
    switch (holding) {
      case "own":
      case "schema":
        return value;
      case "text":
      case "thought":
        this.#text(value);
        return value;
      case "file":
      case "again":
      case "setting":
      case undefined:
        this.#stray(value, holding === undefined);
        return value;
      default:
        return "own" in holding ? value : this.#nodes(holding, value);
    }
  }

  #text(value: unknown): void {
    const isTexts = Array.isArray(value) && value.every((one) => typeof one === "string");
    if (typeof value === "object" && !isTexts) throw this.#wrongShape("a string");
  }

  /** Undefined if all are left out. */
  #nodes({ kind, takes }: Nodes<Kind>, value: unknown): unknown {
    if (typeof value === "string" && takes.includes("text")) return value;
    if (isObject(value) && takes.includes("object")) return this.node(kind, value) ?? undefined;
    if (Array.isArray(value) && takes.includes("list")) return this.#list(kind, value);
    throw this.#wrongShape(nameShapes(takes));
  }

  #list(kind: Kind, given: readonly unknown[]): readonly unknown[] {
    const { rules } = this.#visitor;
    if (rules === undefined || !isGrowing(given)) return this.#elements(kind, given);
    const terms = [this.#grammar, kind, rules];
    const visited = this.#visitFrom(kind, given, VISITED.find(given, terms));
    VISITED.keep(given, visited.known.length, visited.known, terms);
    const kept = keepNodes(given, visited.nodes);
    followMade(given, kept, VISITED);
    return kept;
  }

  #elements(kind: Kind, given: readonly unknown[]): readonly unknown[] {
    let kept: JsonObject[] | null = null;
    let index = 0;
    for (const one of given) {
      const node = this.#element(kind, one, index);
      if (node !== one) kept ??= given.slice(0, index).filter(isObject);
      kept?.push(...listKept(node));
      index++;
    }
    return kept ?? given;
  }

  #element(kind: Kind, one: unknown, index: number): BodyElement {
    this.#path.push(index);
    if (!isObject(one)) throw this.#wrongShape("an object");
    const several = this.#visitor.split?.(kind, one) ?? null;
    const node = several === null ? this.node(kind, one) : this.#parts(kind, several);
    this.#path.pop();
    return node;
  }

  #parts(kind: Kind, several: readonly JsonObject[]): readonly JsonObject[] {
    return several.map((part) => this.node(kind, part)).filter((part) => part !== null);
  }

  /** Visits only elements that weren't visited before, and those behind one in which something was found. */
  #visitFrom(
    kind: Kind,
    given: readonly unknown[],
    before: { readonly shared: number; readonly state: readonly VisitedNode[] } | null,
  ) {
    const visitor = this.#visitor;
    const known = before === null ? [] : before.state.slice(0, before.shared);
    const last = known.at(-1);
    if (last?.trace !== undefined) visitor.trace = last.trace;
    const nodes = known.map(({ node }) => node);
    const found = visitor.countFound();
    for (let index = known.length; index < given.length; index++) {
      const node = this.#element(kind, given[index], index);
      nodes.push(node);
      if (visitor.countFound() === found) known.push({ node, trace: visitor.trace });
    }
    return { nodes, known };
  }

  /** Checks what the table doesn't describe. With `mayBeBlocks`, its typed objects must be known. */
  #stray(value: unknown, mayBeBlocks: boolean): void {
    if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) {
        if (typeof one !== "object") continue;
        this.#path.push(index);
        this.#stray(one, mayBeBlocks);
        this.#path.pop();
      }
    } else if (isObject(value)) this.#strayObject(value, mayBeBlocks);
  }

  #strayObject(value: JsonObject, mayBeBlocks: boolean): void {
    if (typeof value.type === "string") {
      if (mayBeBlocks) {
        this.node(this.#grammar.stray, value);
        return;
      }
      this.#visitor.checkSetting(value.type, this.#path);
    }
    for (const field in value) {
      const held = value[field];
      if (held === null || held === undefined) continue;
      this.#path.push(field);
      this.#visitor.checkField(field, held, this.#path);
      if (typeof held === "object") this.#stray(held, mayBeBlocks);
      this.#path.pop();
    }
  }

  #wrongShape(expected: string): Fault {
    const param = String(this.#path);
    return new Fault("invalid_type", `Invalid type for '${param}': expected ${expected}.`, { param });
  }
}

const SHAPES = { text: "a string", object: "an object", list: "an array" };

function nameShapes<Kind extends string>(takes: Nodes<Kind>["takes"]): string {
  return takes.map((shape) => SHAPES[shape]).join(" or ");
}

function isNeeded<Kind extends string>(holding: Holding<Kind> | undefined): boolean {
  return typeof holding === "object" && "isNeeded" in holding;
}

function listKept(node: BodyElement): readonly JsonObject[] {
  if (node === null) return [];
  return isObject(node) ? [node] : node;
}

/** Returns the elements that stay: the same list if all of them stay as they were. */
function keepNodes(given: readonly unknown[], nodes: readonly BodyElement[]): readonly unknown[] {
  if (nodes.every((node, at) => node === given[at])) return given;
  return nodes.flatMap(listKept);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Returns the node with other values in these fields, without those whose value is undefined. */
function applyChanges(node: JsonObject, changes: ReadonlyMap<string, unknown>): JsonObject {
  const fields = Object.entries(node).map(([field, value]) =>
    changes.has(field) ? ([field, changes.get(field)] as const) : ([field, value] as const),
  );
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
