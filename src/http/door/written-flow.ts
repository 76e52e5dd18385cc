// An answer as it comes, written: its flow through the gateway, and the writer of its surface.
import type { Fault } from "../../core/fault.ts";
import type { AnswerFlow, Take, WrittenAnswer, WrittenPart } from "../../gateway/answer/flow.ts";
import type { ByteWriter, StreamWriter } from "../../surfaces/surface.ts";

export class WrittenFlow<Piece> implements WrittenAnswer {
  readonly #flow: AnswerFlow<readonly Piece[]>;
  readonly #writer: StreamWriter<Piece>;
  readonly #bytes: ByteWriter<Piece> | null;
  type: string | undefined;

  constructor(
    flow: AnswerFlow<readonly Piece[]>,
    writer: StreamWriter<Piece>,
    type: string | undefined,
    bytes: ByteWriter<Piece> | null = null,
  ) {
    this.#flow = flow;
    this.#writer = writer;
    this.#bytes = bytes;
    this.type = type;
  }

  get keepAlive(): string | null {
    return this.#writer.keepAlive;
  }

  begin(): Promise<unknown> {
    const begun = this.#flow.begin();
    const bytes = this.#bytes;
    if (bytes === null) return begun;
    return begun.then((first) => {
      this.type = bytes.readType(first ?? []);
    });
  }

  pour(take: Take<WrittenPart>): Promise<void> {
    return this.#flow.pour((pieces) => take(this.#writer.write(pieces)));
  }

  leave(): void {
    this.#flow.leave();
  }

  end(): string {
    return this.#writer.end();
  }

  fail(fault: Fault, requestId: string): string | null {
    return this.#writer.fail(fault, requestId);
  }
}
