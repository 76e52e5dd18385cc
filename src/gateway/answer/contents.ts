// Stores prompts and answers with the log, if the operator enables it: encrypted, bounded, without delaying answers.

import type { Fault } from "../../core/faults/fault.ts";
import { type LoggedContent, makeContentUse } from "../../core/log/content.ts";
import type { Store } from "../../core/store.ts";
import { logBug } from "../../core/world/bug.ts";
import type { Log, Vault } from "../../core/world/world.ts";
import type { CollectedReader, ShownAnswer } from "../../operations/collected.ts";
import type { Form } from "../../operations/form.ts";
import type { Call } from "../call.ts";
import type { Later, Step } from "../step.ts";
import { writeHidden } from "./hide-logged.ts";

/** Longer contents are truncated, the answer first, then the messages. */
const CHARACTERS_MAX = 1024 * 1024;

export interface ContentPorts {
  readonly store: Pick<Store, "addContent">;
  readonly vault: Pick<Vault, "seal">;
  /** True if recording is enabled right now. */
  readonly isWanted: () => boolean;
}

type LoggedPrompt = Pick<LoggedContent, "request" | "messages" | "truncated">;

/** Records one request and the answer so far. */
export class ContentRecorder<F extends Form> {
  readonly call: Call<F>;
  readonly #answer: CollectedReader<F>;
  /** The stored part of the prompt. Null while it can be read from the request. */
  #prompt: LoggedPrompt | null = null;

  constructor(call: Call<F>, { shown }: ShownAnswer<F>) {
    this.call = call;
    this.#answer = shown.read((_added, characters) => characters <= CHARACTERS_MAX);
  }

  /** Copies the part of the prompt that is stored. The request's own is emptied afterwards. */
  takePrompt(): void {
    const { request, messages } = this.call.operation.toLog(this.call.ask);
    const isLong = JSON.stringify(messages).length > CHARACTERS_MAX;
    this.#prompt = { request, messages: isLong ? [] : [...messages], truncated: isLong };
  }

  takeWhole(reply: F["reply"]): void {
    this.#answer.takeWhole(reply);
  }

  /** Returns the content to store, within the size limit. */
  text(fault: Fault | null, steps: readonly Step[]): Later<string> {
    const { call } = this;
    const { operation, ask } = call;
    const prompt = this.#prompt ?? { ...operation.toLog(ask), truncated: false };
    const truncated = prompt.truncated || this.#answer.isCut;
    return writeHidden({ call, steps }, this.#answer.makeReply(), (hidden) =>
      this.#write(prompt, hidden && operation.toLogged(hidden), truncated, fault),
    );
  }

  #write(
    prompt: LoggedPrompt,
    reply: LoggedContent["reply"],
    truncated: boolean,
    fault: Fault | null,
  ): string {
    const all: LoggedContent = { ...prompt, reply, truncated, message: fault?.message ?? null };
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

interface RecordedAnswer<F extends Form> extends Pick<ContentRecorder<F>, "text"> {
  readonly call: Pick<Call<F>, "id" | "key" | "created">;
}

export class Contents {
  readonly #ports: ContentPorts | null;
  readonly #log: Log;
  #underWay = 0;

  constructor(ports: ContentPorts | null, log: Log) {
    this.#ports = ports;
    this.#log = log;
  }

  /** Contents not yet written. */
  get waiting(): number {
    return this.#underWay;
  }

  /** Returns a recorder for the request, or null if contents are not stored. */
  begin<F extends Form>(call: Call<F>, answer: ShownAnswer<F>): ContentRecorder<F> | null {
    return this.#ports?.isWanted() ? new ContentRecorder(call, answer) : null;
  }

  /** Written in the background: no answer waits for it, and what can't be written is dropped. Never throws. */
  keep<F extends Form>(recorder: RecordedAnswer<F>, fault: Fault | null, steps: readonly Step[]): void {
    if (this.#ports === null) return;
    const { id } = recorder.call;
    this.#underWay++;
    this.#write(this.#ports, recorder, () => recorder.text(fault, steps))
      .catch((thrown: unknown) => {
        this.#log({ event: "content_lost", level: "warn", id, cause: String(thrown) });
        logBug({ log: this.#log }, thrown);
      })
      .finally(() => {
        this.#underWay--;
      });
  }

  async #write<F extends Form>(
    { store, vault }: ContentPorts,
    recorder: RecordedAnswer<F>,
    write: () => Later<string>,
  ): Promise<void> {
    const { id, key, created } = recorder.call;
    const row = { id, accountId: key.accountId, atMs: created * 1000 };
    await store.addContent({ ...row, sealed: vault.seal(await write(), makeContentUse(row)) });
  }
}
