// The readers and writers of the forms of batches, for the room that runs them.
import type { Batch, BatchForm } from "../../core/batches/batch.ts";
import type { BatchWords, ReadLine } from "../../jobs/ports.ts";
import { makeAnthropicLines } from "../../surfaces/anthropic-batches/read.ts";
import { type LineForm, LineReader, splitLines } from "../../surfaces/batch-lines.ts";
import { RESULT_FORMS } from "../../surfaces/batch-results.ts";
import { makeOpenaiLines } from "../../surfaces/openai-batches/read.ts";

export const BATCH_WORDS: Readonly<Record<BatchForm, BatchWords>> = {
  "openai-batches": makeWords("openai-batches", ({ detail }, bytesMax) =>
    makeOpenaiLines(detail.endpoint, bytesMax),
  ),
  "anthropic-batches": makeWords("anthropic-batches", (_, bytesMax) => makeAnthropicLines(bytesMax)),
};

function makeWords(form: BatchForm, makeForm: (batch: Batch, bytesMax: number) => LineForm): BatchWords {
  return {
    readLines: (batch, input, bytesMax) => readLines(makeForm(batch, bytesMax), input),
    ...RESULT_FORMS[form],
  };
}

/** Reads the lines of one input: no id may be there twice. */
export async function* readLines(form: LineForm, input: AsyncIterable<Uint8Array>): AsyncGenerator<ReadLine> {
  const reader = new LineReader(form);
  for await (const line of splitLines(input, form.bytesMax)) yield reader.read(line);
}
