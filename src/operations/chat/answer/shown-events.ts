// Consecutive events of the provider's own that differ only in their text, as its client gets them.

/** Where an event's data is, and what is the same in all of them. */
export interface EventTemplate {
  readonly type: string;
  /** The text before the data of an event that is shown as it came. Null if only `head` and `tail` are shown. */
  readonly lead: string | null;
  /** The data before and after its text. */
  readonly head: string;
  readonly tail: string;
}

const EVENT_END = "\n\n";

export class ShownEvents {
  readonly #template: EventTemplate;
  /** The events as they came. */
  readonly #raw: string;
  readonly #texts: readonly string[];

  constructor(template: EventTemplate, raw: string, texts: readonly string[]) {
    this.#template = template;
    this.#raw = raw;
    this.#texts = texts;
  }

  get type(): string {
    return this.#template.type;
  }

  /** The data of each, as JSON. */
  get data(): readonly string[] {
    const { lead, head, tail } = this.#template;
    if (lead === null) return this.#texts.map((text) => head + text + tail);
    const events = this.#raw.slice(0, -EVENT_END.length).split(EVENT_END);
    return events.map((event) => event.slice(lead.length));
  }

  /** The data of the last one. */
  get last(): string {
    const { lead, head, tail } = this.#template;
    if (lead === null) return head + (this.#texts.at(-1) ?? "") + tail;
    const raw = this.#raw.slice(0, -EVENT_END.length);
    const before = raw.lastIndexOf(EVENT_END);
    return raw.slice(before === -1 ? lead.length : before + EVENT_END.length + lead.length);
  }

  /** Returns the data of each between these two texts. Costs no object per event if the provider has written them so. */
  wrap(before: string, after: string): string {
    const { lead, head, tail } = this.#template;
    if (lead === before && after === EVENT_END) return this.#raw;
    if (lead !== null) return this.data.map((one) => before + one + after).join("");
    const between = [tail, after, before, head].join("");
    return [before, head, this.#texts.join(between), tail, after].join("");
  }
}
