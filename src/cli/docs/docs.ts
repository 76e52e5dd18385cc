// `poundkey docs build`: writes the manual as files, which any web server serves and a browser opens without one.
import { resolve } from "node:path";
import { EXIT, type Io } from "../../app/terminal.ts";
import { formatJson } from "../administration.ts";
import { type Arguments, COMMON_FLAGS, makeFlagCommand, UsageError } from "../arguments.ts";
import { replaceFiles } from "./replace-files.ts";

const ADDRESS = "https://llm.example.com";

const HELP = `usage: poundkey docs build DIR [--address URL] [--console URL] [--force]

Writes the manual into the folder DIR: every chapter as a page and as Markdown, the API's page with openapi.json, the texts
for language models, and the search. Links are relative, so it works at any address, below any path, and when a page is
opened as a file. It asks for none but its own files.

  --address URL             the gateway's address in the examples (default: ${ADDRESS})
  --console URL             a console to link to (default: no link)
  --force                   in a folder that isn't empty, replace what an earlier run made, and nothing else
  --json                    print JSON
  --config FILE, --store S  accepted, as by every command, but ignored

examples:
  poundkey docs build ./manual
  poundkey docs build ./manual --address https://llm.corp.example --force`;

const FLAGS = { ...COMMON_FLAGS, address: "value", console: "value", force: "switch" } as const;

/** Returns the exit code: 0 if the files are there, 1 if something was in the way. */
export const runDocs = makeFlagCommand({ name: "docs", help: HELP, flags: FLAGS, wordsMax: 2 }, build);

async function build({ values, switches, words }: Arguments, io: Io): Promise<number> {
  const [action, directory] = words;
  if (action !== "build") throw new UsageError("expected an action: build");
  if (directory === undefined) throw new UsageError("name the folder to write into");
  const options = { address: readAddress("address", values), console: readAddress("console", values) };
  const folder = resolve(directory);
  try {
    // The gateway that describes its routes is in this process, where no proxy leads.
    process.env.NO_PROXY = "*";
    // Only here, because it brings the whole gateway.
    const [{ buildStaticManual }, { CHANNELS }] = await Promise.all([
      import("../../app/build/static-manual.ts"),
      import("../../app/channels.ts"),
    ]);
    const files = await buildStaticManual({ ...options, site: CHANNELS.manual });
    replaceFiles(folder, files, switches.has("force"));
    const written = [...files.keys()].toSorted();
    io.out(
      switches.has("json")
        ? formatJson({ folder, files: written })
        : `Wrote ${written.length} files to ${folder}. Begin with index.html.`,
    );
    return EXIT.done;
  } catch (error) {
    io.err(`poundkey docs: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.failed;
  }
}

/** Returns the address without a slash at its end, or null. Throws a UsageError unless a gateway can have it. */
function readAddress(flag: string, values: Arguments["values"]): string | null {
  const text = values.get(flag);
  if (text === undefined) return null;
  const url = URL.parse(text);
  const isWeb = url !== null && ["http:", "https:"].includes(url.protocol);
  if (!isWeb || url.username !== "" || url.password !== "" || /[?#\s"<>]/.test(text))
    throw new UsageError(`--${flag} must be an address such as ${ADDRESS}, without query or fragment`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
