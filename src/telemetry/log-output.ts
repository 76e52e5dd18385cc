// Writes log lines to standard output, whose reader may be slow, stand still or leave, and whose disk may be full.

/** A file or pipe, as Bun writes them: a write that fails throws, or rejects what either returns. */
interface Sink {
  write(text: string): number | Promise<number>;
  flush(): number | Promise<number>;
}

/**
 * Returns a function that writes a text, or drops it if the sink fails or `behindMax` UTF-16 code units already wait for
 * the reader. It passes the reason to `say` once, and tells it when the sink works again.
 */
export function createOutput(
  sink: Sink,
  behindMax: number,
  say: (text: string) => void,
): (text: string) => void {
  let behind = 0;
  let isDropping = false;
  const drop = (reason: unknown) => {
    const why = reason instanceof Error ? reason.message : String(reason);
    if (!isDropping) say(`poundkey: log lines are dropped, because standard output takes none: ${why}`);
    isDropping = true;
  };
  const pass = () => {
    if (isDropping) say("poundkey: standard output takes log lines again");
    isDropping = false;
  };
  const put = (text: string) => {
    const written = sink.write(text);
    const flushed = sink.flush();
    if (typeof written === "number" && typeof flushed === "number") return pass();
    behind += text.length;
    void Promise.all([written, flushed])
      .then(pass, drop)
      .finally(() => {
        behind -= text.length;
      });
  };
  return (text) => {
    if (behind + text.length > behindMax) return drop("its reader doesn't read");
    try {
      put(text);
    } catch (error) {
      drop(error);
    }
  };
}
