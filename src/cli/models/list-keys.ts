// Public keys of lists of models, as a command line names them: by their files.
import { readPublicKey } from "../../core/text/public-key.ts";
import { UsageError } from "../arguments.ts";
import { readInputFile } from "../input-file.ts";

/** Returns the key's 32 bytes in base64. Throws a UsageError that names the file. */
export function readPublicKeyFile(file: string): string {
  let text: string;
  try {
    text = readInputFile(file).toString("utf8");
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const read = readPublicKey(text);
  if ("key" in read) return read.key;
  throw new UsageError(`${file} ${read.wrong}`);
}
