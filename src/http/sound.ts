// The length of a sound file, from its container.
import type { Attachment } from "../core/attachment.ts";

/** A file of millions of tiny boxes or pages would block the loop for seconds. Real files have about ten. */
const READS_MAX = 5000;
/** A low bit rate for speech, so that a file of unknown length counts as a long recording. */
const BITS_PER_SECOND_MIN = 32_000;

/** Returns the seconds of sound to hold for: the container's length, or else an estimate from the size at 32 kbit/s. */
export async function measureSeconds(file: Attachment): Promise<number> {
  return (await readDuration(file)) ?? Math.ceil((file.bytes.length * 8) / BITS_PER_SECOND_MIN);
}

/** Returns null if the container doesn't say, or takes too long to read. */
async function readDuration({ bytes }: Attachment): Promise<number | null> {
  // Imported only here: only transcriptions need them, and they would delay every start.
  const [{ parseFromTokenizer }, { fromBuffer }] = await Promise.all([
    import("music-metadata"),
    import("strtok3"),
  ]);
  let reads = 0;
  const counting: ProxyHandler<ReturnType<typeof fromBuffer>> = {
    get(tokenizer, name) {
      if (++reads > READS_MAX) throw new Error("The file has too many sections.");
      const value: unknown = Reflect.get(tokenizer, name, tokenizer);
      return typeof value === "function" ? value.bind(tokenizer) : value;
    },
    set: (tokenizer, name, value) => Reflect.set(tokenizer, name, value, tokenizer),
  };
  try {
    // The client's content type may be wrong, so the first bytes decide.
    const tokenizer = new Proxy(fromBuffer(bytes), counting);
    const { format } = await parseFromTokenizer(tokenizer, { duration: false, skipCovers: true });
    const { duration = 0 } = format;
    return Number.isFinite(duration) && duration > 0 ? Math.ceil(duration) : null;
  } catch {
    return null;
  }
}
