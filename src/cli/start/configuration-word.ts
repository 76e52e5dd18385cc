// A configuration file that a command takes as a word, besides `--config`.
import { type Arguments, readConfigurationFlags, UsageError } from "../arguments.ts";

/** Returns the flags, with the word in the place of `--config`. Throws a UsageError if the file is given twice. */
export function readConfigurationWord(args: Arguments): ReturnType<typeof readConfigurationFlags> {
  const flags = readConfigurationFlags(args);
  const [file] = args.words;
  if (file === undefined) return flags;
  if (flags.config !== undefined) throw new UsageError("the file is given twice: as a word, and by --config");
  return { ...flags, config: file };
}
