// The sentences in which public servers refuse a field or a form of a request, as people reported them. They are kept apart
// from the product, which never reads them: what it knows of refusals is judged by what others said.
import listed from "./sentences.data.json" with { type: "json" };

export interface Sentence {
  readonly server: string;
  /** The month and the address of the report. */
  readonly month: string;
  readonly source: string;
  readonly status: number;
  /** The APIs whose servers say it. */
  readonly wires: readonly string[];
  /** A field, which the sentence may name, or a form of the request. */
  readonly refuses: string;
  /** The only fields of which it is said. Any, if missing. */
  readonly fields?: readonly string[];
  /** The kind of refusal that a general reader can tell. Null if the words don't say what is refused. */
  readonly family: string | null;
  /**
   * The answer's body, a text if it isn't JSON. Where the report quotes the sentence alone, the rest is as in other reports
   * of that server. `{field}` stands for the field's path, `{name}` for its last part, `{parent}` for the others, and
   * `{camel}` for the path in camel case.
   */
  readonly body: unknown;
}

export const SENTENCES: readonly Sentence[] = listed;
