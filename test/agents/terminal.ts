// A program at a terminal of its own, with files of the test's in place of the machine's in `/etc`.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { until } from "../whole/world/until.ts";

const PATIENT_MS = 300_000;
/** A program that shows nothing at all for so long after a key has lost it: it listens a moment after it draws. */
const LOST_MS = 5_000;
// A terminal draws a screen by moving the cursor: without these, and without spaces, the words remain.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal is controlled by
const CONTROLS = /\x1b\][^\x07]*\x07|\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78]|\s/g;

/** True if this machine lets a test have a `/etc` of its own, and has a program that makes terminals. */
export function hasTerminal(): boolean {
  return Bun.which("script") !== null && Bun.spawnSync(["unshare", "-m", "true"]).exitCode === 0;
}

interface Started {
  readonly home: string;
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The texts of files by their paths below `/etc`. */
  readonly etc: Readonly<Record<string, string>>;
}

export interface Terminal {
  /** Waits until these words are shown, spaces apart, since the last call. Returns all that was shown until then. */
  see(words: string | RegExp): Promise<string>;
  /** Types them again, as a person would, if nothing is shown for five seconds. */
  type(keys: string): void;
  close(): Promise<unknown>;
}

/** Nothing of the machine's own `/etc` is changed, and only this program sees the files. */
export async function startTerminal({ home, command, environment, etc }: Started): Promise<Terminal> {
  for (const [path, text] of Object.entries(etc)) {
    mkdirSync(dirname(join(home, "etc", path)), { recursive: true });
    await Bun.write(join(home, "etc", path), text);
  }
  mkdirSync(join(home, "own"));
  mkdirSync(join(home, "work"), { recursive: true });
  const link = `for one in $(ls -A /etc); do [ -e '${home}/etc/'$one ] || ln -s '${home}/own/'$one '${home}/etc/'; done`;
  const mounts = `mount --bind /etc '${home}/own' && ${link} && mount --bind '${home}/etc' /etc`;
  const shell = `${mounts} && cd '${home}/work' && stty rows 50 cols 160; exec ${command}`;
  const child = Bun.spawn(["unshare", "-m", "script", "-qfc", shell, "/dev/null"], {
    env: { PATH: process.env.PATH ?? "", HOME: home, TERM: "xterm-256color", ...environment },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  let shown = "";
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const part of child.stdout) shown += decoder.decode(part, { stream: true });
  })();
  const read = () => shown.replace(CONTROLS, "");
  let typed = { keys: "", at: 0 };
  const send = (keys: string) => {
    typed = { keys, at: Date.now() };
    child.stdin.write(keys);
    child.stdin.flush();
  };
  return {
    async see(words) {
      const sought = typeof words === "string" ? words.replaceAll(" ", "") : words;
      const isShown = () => {
        if (typed.keys && shown === "" && Date.now() > typed.at + LOST_MS) send(typed.keys);
        return typeof sought === "string" ? read().includes(sought) : sought.test(read());
      };
      await until(`${words} is shown`, isShown, PATIENT_MS).catch((error: unknown) => {
        throw new Error(`${error}: ${read().slice(-1000)}`);
      });
      const seen = read();
      shown = "";
      return seen;
    },
    type: send,
    close() {
      child.kill();
      return Promise.all([child.exited, reading]);
    },
  };
}
