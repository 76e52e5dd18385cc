// Puts the pieces of an answer in order: providers may interleave calls with each other and with text, but most clients
// can't cope.
import type { Delta, ToolCallDelta } from "../operations/chat/form.ts";

/** Pieces that wait together: those of one call, or all else that came before the next call. */
interface DeltaGroup {
  /** Null for all else. */
  readonly call: number | null;
  readonly deltas: Delta[];
}

export class CallQueue {
  /** The call being written. Null once other parts have followed it. */
  #open: number | null = null;
  #isCustom = false;
  #arguments = new ArgumentsReader();
  /** Calls that were complete when something else followed: what still comes of them, such as a blank, is dropped. */
  readonly #over = new Set<number>();
  /** Pieces that arrived before the open call was complete. */
  readonly #waiting: DeltaGroup[] = [];
  readonly #waitingCalls = new Map<number, DeltaGroup>();

  /** True if something waits for the end of the open call, which the next piece may bring. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Returns what to write now. All else waits until the arguments of the open call are complete. */
  push(given: Delta): readonly Delta[] {
    const { tool_calls: pieces } = given;
    const says = saysAnything(given);
    if (!pieces) return says && this.#take(null, given) ? [given] : [];
    const rest: Delta = { ...given, tool_calls: [] };
    const ready = says && this.#take(null, rest) ? [rest] : [];
    for (const piece of pieces) {
      const delta: Delta = { tool_calls: [piece] };
      if (this.#over.has(piece.index) || !this.#take(piece, delta)) continue;
      ready.push(delta);
      this.#release(ready);
    }
    return ready;
  }

  /** Returns all that waits, call by call. */
  end(): readonly Delta[] {
    return this.#waiting.splice(0).flatMap(({ deltas }) => deltas);
  }

  /** True if the piece is written now. If not, it waits. */
  #take(piece: ToolCallDelta | null, delta: Delta): boolean {
    const call = piece?.index ?? null;
    const isNext = (this.#waiting.length === 0 || call === this.#open) && this.#mayFollow(call);
    if (isNext) this.#follow(piece);
    else this.#wait(call, delta);
    return isNext;
  }

  /** The end of a custom tool's text isn't known: only another call shows it. */
  #mayFollow(call: number | null): boolean {
    if (this.#open === null || call === this.#open) return true;
    return this.#isCustom ? call !== null : this.#arguments.isComplete;
  }

  #follow(piece: ToolCallDelta | null): void {
    const call = piece?.index ?? null;
    if (call !== this.#open) {
      if (this.#open !== null && !this.#isCustom) this.#over.add(this.#open);
      this.#open = call;
      this.#isCustom = piece?.custom !== undefined;
      this.#arguments = new ArgumentsReader();
    }
    this.#arguments.add(piece?.function?.arguments ?? "");
  }

  #wait(call: number | null, delta: Delta): void {
    const known = call === null ? this.#waiting.at(-1) : this.#waitingCalls.get(call);
    if (known?.call === call) {
      known.deltas.push(delta);
      return;
    }
    const group = { call, deltas: [delta] };
    this.#waiting.push(group);
    if (call !== null) this.#waitingCalls.set(call, group);
  }

  /** Adds what waited for the open call, if that is complete by now. */
  #release(ready: Delta[]): void {
    for (let [next] = this.#waiting; next && this.#mayFollow(next.call); [next] = this.#waiting) {
      this.#waiting.shift();
      if (next.call !== null) this.#waitingCalls.delete(next.call);
      for (const delta of next.deltas) {
        this.#follow(delta.tool_calls?.[0] ?? null);
        ready.push(delta);
      }
    }
  }
}

/** Many servers send an empty text or a role with each piece of a call. */
function saysAnything(delta: Delta): boolean {
  const { content, refusal, reasoning_content: thought } = delta;
  const { reasoning_details: details, annotations, web_searches: searches } = delta;
  return Boolean(content || refusal || thought || details?.length || annotations?.length || searches?.length);
}

/** Finds the end of a call's arguments piece by piece, and reads none before it is asked. */
class ArgumentsReader {
  #unread = "";
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #isComplete = false;

  add(text: string): void {
    this.#unread += text;
  }

  /** True once the brackets that were opened are closed. */
  get isComplete(): boolean {
    for (const character of this.#unread) this.#read(character);
    this.#unread = "";
    return this.#isComplete;
  }

  #read(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#inString) {
      if (character === "\\") this.#isEscaped = true;
      else if (character === '"') this.#inString = false;
    } else if (character === '"') this.#inString = true;
    else if (character === "{" || character === "[") this.#depth++;
    else if (character === "}" || character === "]") this.#isComplete = --this.#depth === 0;
  }
}
