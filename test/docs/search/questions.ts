// Questions to the manual's search, and the places that answer them.
import rows from "./questions.yaml";

export interface Question {
  readonly query: string;
  readonly answers: readonly string[];
}

interface PublicQuestion extends Question {
  /** The address of the thread whose title it is. */
  readonly thread: string;
}

const ROWS: { readonly typed: readonly Question[]; readonly public: readonly PublicQuestion[] } = rows;

export const TYPED_QUESTIONS = ROWS.typed;
export const PUBLIC_QUESTIONS = ROWS.public;
