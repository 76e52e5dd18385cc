// The types of operations whose answers come whole and never as streams.
import type { Amounts } from "../core/units.ts";
import type { Ask, Form } from "./form.ts";

/** The work that an answer took, and what it cost. */
export interface WorkUsage {
  readonly amounts: Amounts;
  /** USD. */
  readonly cost?: number;
  readonly charged?: number;
}

export interface WholeReply {
  /** null: the provider reported none. */
  readonly usage: WorkUsage | null;
}

export interface WholeForm extends Form {
  readonly ask: Ask;
  /** The only piece of an answer is the answer. */
  readonly piece: WholeReply;
  readonly reply: WholeReply;
  readonly usage: WorkUsage;
  readonly decoder: null;
}

/** The types of one such operation. */
export interface FormOf<A extends Ask, R extends WholeReply> extends WholeForm {
  readonly ask: A;
  readonly piece: R;
  readonly reply: R;
}
