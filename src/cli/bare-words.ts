// The words of a command line without a command, as those of the command that they stand for.

/** They stand in a command's place everywhere. */
const OWN_FLAGS = ["--help", "-h", "--version", "-v"];

/** In the user's places, flags without a command are those of a quick start. Elsewhere a command is expected. */
export function readWords(args: readonly string[], places: string | undefined): readonly string[] {
  const [first = "-"] = args;
  if (places !== "user" || !first.startsWith("-") || OWN_FLAGS.includes(first)) return args;
  return ["serve", ...(args.includes("--quickstart") ? [] : ["--quickstart"]), ...args];
}
