// Keeps prompts and answers with the log where the operator wants that: sealed, bounded, beside the answer's own way.

import { type LoggedContent, makeContentUse } from "../core/content.ts";
import type { Fault } from "../core/fault.ts";
import type { Store } from "../core/store.ts";
import type { Log } from "../core/world.ts";
import { Fold } from "../operations/chat/fold.ts";
import type { ChatReply } from "../operations/chat/form.ts";
import { listChunks, type Part } from "../operations/chat/run.ts";
import type { Call } from "./call.ts";
import type { Vault } from "./idempotency.ts";

/** More of a request and its answer together is cut: the answer goes first, then the messages. */
const CHARACTERS_MAX = 1024 * 1024;

export interface ContentPorts {
  readonly store: Pick<Store, "addContent">;
  readonly vault: Pick<Vault, "seal">;
  /** True if it is wanted now. */
  readonly isWanted: () => boolean;
}

/** Records one request and its answer so far. */
export class ContentRecorder {
  readonly call: Call;
  #fold: Fold | null = new Fold();
  #characters = 0;
  #reply: ChatReply | null = null;

  constructor(call: Call) {
    this.call = call;
  }

  whole(reply: ChatReply): void {
    this.#reply = reply;
  }

  take(parts: readonly Part[]): void {
    if (this.#fold === null) return;
    const chunks = listChunks(parts);
    for (const { choices } of chunks) {
      for (const { delta } of choices) this.#characters += JSON.stringify(delta).length;
    }
    if (this.#characters > CHARACTERS_MAX) this.#fold = null;
    for (const chunk of chunks) this.#fold?.push(chunk);
  }

  /** As it is kept: never more than so much. */
  text(fault: Fault | null): string {
    const { messages, ...request } = this.call.request;
    const folded = this.#reply ?? this.#fold?.reply() ?? null;
    const reply = folded !== null && folded.choices.length > 0 ? folded : null;
    const truncated = this.#reply === null && this.#fold === null;
    const all: LoggedContent = { request, messages, reply, truncated, message: fault?.message ?? null };
    const lesser = [
      all,
      { ...all, reply: null, truncated: true },
      { ...all, reply: null, messages: [], truncated: true },
      { ...all, reply: null, messages: [], request: {}, truncated: true },
    ];
    const texts = lesser.values().map((one) => JSON.stringify(one));
    return texts.find((text) => text.length <= CHARACTERS_MAX) ?? "{}";
  }
}

export class Contents {
  readonly #ports: ContentPorts | null;
  readonly #log: Log;
  #underWay = 0;

  constructor(ports: ContentPorts | null, log: Log) {
    this.#ports = ports;
    this.#log = log;
  }

  /** Contents that are not written yet. */
  get waiting(): number {
    return this.#underWay;
  }

  /** The recorder of a request's content; null: nobody wants it. */
  begin(call: Call): ContentRecorder | null {
    return this.#ports?.isWanted() ? new ContentRecorder(call) : null;
  }

  /** Written in its own time: no answer waits for it, and one that can't be written is lost. */
  keep(recorder: ContentRecorder, fault: Fault | null): void {
    if (this.#ports === null) return;
    const { store, vault } = this.#ports;
    const { id, key, created } = recorder.call;
    const row = { id, accountId: key.accountId, atMs: created * 1000 };
    this.#underWay++;
    const sealed = vault.seal(recorder.text(fault), makeContentUse(row));
    store
      .addContent({ ...row, sealed })
      .catch((error: unknown) =>
        this.#log({ event: "content_lost", level: "warn", id, cause: String(error) }),
      )
      .finally(() => {
        this.#underWay--;
      });
  }
}
