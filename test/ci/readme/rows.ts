// A row for each command of the README: how it is judged, and the form in which it runs where that isn't as printed.
import { IS_LONG } from "../../harness/long.ts";
import { EXAMPLE } from "./commands.ts";

/** The evidence that a command works. */
export type Judgement =
  /** It prints no warning, and commands that are answered; a reader's Ctrl-C ends it. */
  | { readonly by: "quick start" }
  /** It prints this, and the page that the first group names is there, if there is a group; Ctrl-C ends it. */
  | { readonly by: "page"; readonly prints: RegExp }
  /** It prints this, and ends with 0. */
  | { readonly by: "end"; readonly prints: RegExp }
  /** It prints an answer, with the address and the key of the gateway that it runs beside. */
  | { readonly by: "answer" }
  /** It ends with a line of counts, which are added to ours. */
  | { readonly by: "counts" };

interface Form {
  readonly command: string;
  readonly because: string;
}

export interface Row {
  /** As the README prints it. */
  readonly command: string;
  readonly judged: Judgement;
  /** Runs in place of it. */
  readonly as?: Form;
  /** Runs in place of it, but for the long form. */
  readonly short?: Form;
  /** Takes back what it did. It prints this, and ends with 0. */
  readonly undo?: { readonly command: string; readonly prints: RegExp };
  /** The command whose gateway runs meanwhile. */
  readonly beside?: string;
  /** The command that makes what this one needs. */
  readonly after?: string;
  /** It has a home of its own, since it writes into a home. */
  readonly hasOwnHome?: boolean;
  /** It needs an engine that runs, and minutes: the long form has it. */
  readonly isDocker?: boolean;
}

const START = "npm start";
const BUILD = "npm run build && ./dist/poundkey serve --quickstart";

const IMAGE = "poundkey-readme";

export const ROWS: readonly Row[] = [
  { command: START, judged: { by: "quick start" } },
  {
    command: "npx bun src/main.ts setup",
    beside: START,
    hasOwnHome: true,
    as: {
      command: "npx bun src/main.ts setup --agent codex --agent aider --yes",
      because: "no agent is installed in its home, and no terminal asks",
    },
    judged: { by: "end", prints: /^codex: connected$[\s\S]*^aider: connected$/m },
    undo: {
      command: "npx bun src/main.ts setup --undo",
      prints: /^codex: undone$[\s\S]*^aider: undone$/m,
    },
  },
  {
    command: "npx bun src/main.ts demo",
    beside: START,
    hasOwnHome: true,
    short: { command: "npx bun src/main.ts demo --days 7", because: "a month takes a minute" },
    judged: { by: "page", prints: /^Demo data[\s\S]*^ {2}Console +(http\S+)$[\s\S]*^ {2}API key/m },
  },
  { command: EXAMPLE, beside: START, judged: { by: "answer" } },
  { command: BUILD, judged: { by: "quick start" } },
  {
    command:
      "docker build -t poundkey . && docker run -p 8080:8080 -v poundkey:/data -e OPENAI_API_KEY poundkey",
    isDocker: true,
    as: {
      command: `docker build -t ${IMAGE} . && docker run --rm -p 127.0.0.1::8080 -e OPENAI_API_KEY ${IMAGE}`,
      because: "neither the machine's image and volume nor its port is touched",
    },
    judged: { by: "page", prints: /^Poundkey listens on/m },
    undo: { command: `docker image rm ${IMAGE}`, prints: /^Untagged/m },
  },
  {
    command: "poundkey samples DIR",
    after: BUILD,
    as: { command: "./dist/poundkey samples ../samples", because: "the binary isn't installed" },
    judged: { by: "end", prints: /^Wrote \d+ files to .*samples\.$/m },
  },
  {
    command: "npm run test:kill -- --times 1000",
    short: { command: "npm run test:kill -- --times 1", because: "1,000 kills take an hour" },
    judged: { by: "end", prints: /^\d+ passed, 0 failed$/m },
  },
  {
    command: "npm run bench -- --peers",
    as: {
      command: "npm run bench -- --peers --short",
      because:
        "the whole takes hours on a machine that does nothing else, and writes its results into the checkout",
    },
    short: {
      command: "npm run bench -- --peers --short --only whole",
      because: "one benchmark of seventeen",
    },
    judged: { by: "end", prints: /^\| Poundkey \|.*\n\| Portkey \|/m },
  },
  {
    command: "npm run bench:router",
    short: {
      command: "npm run bench:router -- --quick --only=sizes",
      because: "all sections take many minutes",
    },
    judged: { by: "end", prints: /^## Size of what is shipped$[\s\S]*\d bytes$/m },
  },
  { command: "npm test", judged: { by: "counts" } },
];

/** Returns the form in which a row's command runs: the short one, unless all is run as long as it takes. */
export function chooseForm(
  { command, as, short }: Row,
  isLong = IS_LONG,
): Form | { readonly command: string } {
  return (isLong ? undefined : short) ?? as ?? { command };
}

/** Returns the rows of the wanted commands, with those that they need. `npm test` comes last. */
export function chooseRows(
  isWanted: (command: string) => boolean,
  rows: readonly Row[] = ROWS,
): readonly Row[] {
  const wanted = new Set(rows.filter(({ command }) => isWanted(command)));
  for (const { beside, after } of wanted)
    for (const row of rows) if (row.command === beside || row.command === after) wanted.add(row);
  const isLast = ({ judged }: Row) => Number(judged.by === "counts");
  return rows.filter((row) => wanted.has(row)).toSorted((one, other) => isLast(one) - isLast(other));
}
