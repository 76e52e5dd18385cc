// The gateway's own words to Claude, and the tools that the client doesn't allow this time: at the end of the prompt, and
// again where they stood before earlier answers.
import type { JsonObject } from "../../core/json/json.ts";
import type { Said } from "../../core/models/dialect.ts";
import type { AssistantMessage, Tool } from "../../operations/chat/form.ts";
import { writeNote } from "../../operations/chat/prompt/note.ts";
import { findSaid, keepSaid } from "../../operations/chat/prompt/said-again.ts";
import { joinSaid } from "../../operations/chat/prompt/say-at-end.ts";
import { type Effect, nameTool } from "../../operations/chat/prompt/tool-changes.ts";
import { NONE } from "../../operations/form.ts";
import { readToolName } from "../_chat/tools.ts";
import { sayInTurns, type Turn } from "../_chat/turns.ts";
import { type Block, makeTextBlock } from "./content.ts";
import type { Traits } from "./models.ts";

/** Lets a message remove tools from those that are offered, and bring them back (Messages API reference, `tool_removal`). */
const NO_TOOLS: ReadonlySet<string> = new Set();
const NOTHING_SAID: readonly Block[] = [];
const CHANGES: readonly string[] = ["mid-conversation-tool-changes-2026-07-01"];

/** The end of a prompt. `said` is what the answer's thinking will be bound to. */
export interface Ending {
  readonly turns: readonly Turn<JsonObject>[];
  readonly betas: readonly string[];
  readonly said?: Said | undefined;
}

/** All that the gateway says in a conversation, in its order. */
export class Saying {
  readonly #traits: Traits;
  /** The tools that are offered before any change. */
  readonly #front: readonly Tool[];
  /** The tools that the client has changed so far: true for those that it offers. Null as long as it changed none. */
  #changed: Map<string, boolean> | null = null;
  /** The offered tools that are removed by what was said. Null as long as that changed none. */
  #removed: Set<string> | null = null;

  constructor(traits: Traits, front: readonly Tool[]) {
    this.#traits = traits;
    this.#front = front;
  }

  /**
   * Returns the blocks of the client's own changes, each with its effect, but for what the gateway's words have removed already:
   * a tool is removed once.
   */
  follow(blocks: readonly Block[], effects: readonly Effect[] | undefined): readonly Block[] {
    return blocks.filter((_block, at) => {
      const effect = effects?.[at];
      if (effect === undefined) return true;
      this.#changed ??= new Map();
      if (effect.type === "defined") this.#changed.set(nameTool(effect.tool), true);
      else this.#changed.set(effect.name, effect.type === "returned");
      return effect.type !== "removed" || this.#removed?.delete(effect.name) !== true;
    });
  }

  /** Returns the blocks of what was said before an answer, as far as it can be said again. */
  repeat(answer: AssistantMessage): readonly Block[] {
    const before = findSaid(answer);
    return before === null ? NOTHING_SAID : this.#repeat(before);
  }

  #repeat(before: Said): readonly Block[] {
    const gone = this.#removed ?? NO_TOOLS;
    const removed = before.removed.filter(
      (name) => this.#traits.lateTools && !gone.has(name) && this.#isOffered(name),
    );
    return this.#say({ text: before.text, removed, added: before.added.filter((name) => gone.has(name)) });
  }

  /**
   * Says the words behind the newest turn of the user's, and which of the offered tools the client doesn't allow (`refused`).
   * Tools that were removed before are brought back.
   */
  end(turns: readonly Turn<JsonObject>[], words: readonly string[], refused: readonly string[]): Ending {
    if (words.length + refused.length === 0 && this.#removed === null) return { turns, betas: NONE };
    const gone = this.#removed ?? NO_TOOLS;
    const removed = refused.filter((name) => !gone.has(name));
    const added = [...gone].filter((name) => !refused.includes(name));
    const text = joinSaid(words);
    const { lateSystem, bindsThinking } = this.#traits;
    const blocks = this.#say({ text: lateSystem || text === "" ? text : writeNote(text), removed, added });
    const isBound = lateSystem && bindsThinking && blocks.length > 0;
    return {
      turns: sayInTurns(turns, blocks, lateSystem ? "system" : "user"),
      betas: this.#removed === null ? NONE : CHANGES,
      said: isBound ? keepSaid({ text, removed, added }) : undefined,
    };
  }

  #isOffered(name: string): boolean {
    return this.#changed?.get(name) ?? this.#front.some((tool) => readToolName(tool) === name);
  }

  #say({ text, removed, added }: Said): readonly Block[] {
    if (removed.length > 0) this.#removed ??= new Set();
    for (const name of removed) this.#removed?.add(name);
    for (const name of added) this.#removed?.delete(name);
    return [
      ...(text === "" ? [] : [makeTextBlock(text)]),
      ...removed.map((name) => makeChange("tool_removal", name)),
      ...added.map((name) => makeChange("tool_addition", name)),
    ];
  }
}

function makeChange(type: "tool_removal" | "tool_addition", name: string): Block {
  return { type, tool: { type: "tool_reference", name } };
}
