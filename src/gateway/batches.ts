// Something that comes batch by batch, drawn as fast as its reader takes it.

export interface Batches<Batch> {
  /** The next one, null after the last; asked for one at a time. Throws the Fault of whatever broke it. */
  next(): Promise<Batch | null>;
  /** Nobody wants the rest. */
  leave(): void;
}
