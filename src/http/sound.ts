// The length of a sound file, as its container tells it.
import type { Attachment } from "../core/attachment.ts";

/** A file of millions of tiny boxes or pages would keep the loop busy for seconds: sound files have some ten. */
const READS_MAX = 5000;
/** A low rate of speech: where nobody tells the length it is held as that of a long recording. */
const BITS_PER_SECOND_MIN = 32_000;

/** The seconds of sound to hold for: as the container says, or else by the file's size at 32 kbit/s. */
export async function measureSeconds(file: Attachment): Promise<number> {
  return (await readDuration(file)) ?? Math.ceil((file.bytes.length * 8) / BITS_PER_SECOND_MIN);
}

/** Returns null where the container doesn't tell, or can't be read in time. */
async function readDuration({ bytes }: Attachment): Promise<number | null> {
  // Only transcriptions need these, and they would delay every start.
  const [{ parseFromTokenizer }, { fromBuffer }] = await Promise.all([
    import("music-metadata"),
    import("strtok3"),
  ]);
  let reads = 0;
  const counting: ProxyHandler<ReturnType<typeof fromBuffer>> = {
    get(tokenizer, name) {
      if (++reads > READS_MAX) throw new Error("The file has too many parts.");
      const value: unknown = Reflect.get(tokenizer, name, tokenizer);
      return typeof value === "function" ? value.bind(tokenizer) : value;
    },
    set: (tokenizer, name, value) => Reflect.set(tokenizer, name, value, tokenizer),
  };
  try {
    // The type that the client names may be wrong: the first bytes tell the container.
    const tokenizer = new Proxy(fromBuffer(bytes), counting);
    const { format } = await parseFromTokenizer(tokenizer, { duration: false, skipCovers: true });
    const { duration = 0 } = format;
    return Number.isFinite(duration) && duration > 0 ? Math.ceil(duration) : null;
  } catch {
    return null;
  }
}
