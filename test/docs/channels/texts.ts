// The texts that name where Poundkey is published, made from the channels alone.
import { engines } from "../../../package.json" with { type: "json" };
import type { Channels } from "../../../src/app/channels.ts";

/** As people say it. */
const NODE = `Node ${engines.node.replace(">=", "")} or newer`;

/** A file that is made as a whole, or a part of one that `replace` finds. */
export interface Text {
  readonly path: string;
  readonly replace?: RegExp;
  readonly text: string;
}

export const NOTHING: Channels = {
  repository: null,
  npm: null,
  image: null,
  chart: null,
  formula: null,
  manual: null,
  signingKey: null,
};

/** Returns what stands between two comments of a Markdown file. */
const between = (name: string) =>
  new RegExp(`(?<=<!-- ${name}: written by [^>]*-->\\n)[\\s\\S]*?(?=<!-- end of ${name} -->)`);

const block = (path: string, name: string, text: string): Text => ({
  path,
  replace: between(name),
  text: `\n${text.trim()}\n\n`,
});

export function writeTexts(channels: Channels, version: string): readonly Text[] {
  const image = `${channels.image ?? "poundkey"}:${version}`;
  return [
    block("README.md", "start", writeStart(channels)),
    { path: "src/deploy/npm/README.md", text: writeNpmPage(channels, version) },
    {
      path: "src/deploy/chart/values.yaml",
      replace: /(?<=^image:\n(?: {2}#.*\n)* {2}repository: ).*$/m,
      text: channels.image ?? '""',
    },
    ...["one", "nodes"].map((place) => ({
      path: `src/deploy/compose/${place}/compose.yaml`,
      replace: /(?<=\$\{POUNDKEY_IMAGE:-)[^}]*(?=\})/,
      text: image,
    })),
    { path: ".github/ISSUE_TEMPLATE/config.yml", text: writeIssueLinks(channels) },
    block(".github/SECURITY.md", "reporting", writeReporting(channels)),
    block("src/docs/releases.md", "published", writePublished(channels)),
    block("src/docs/releases.md", "provenance", writeProvenance(channels)),
    block("src/docs/upgrading.md", "newer", writeNewer(channels, version)),
  ];
}

function fence(lines: readonly string[], language = "sh"): string {
  return `\`\`\`${language}\n${lines.join("\n")}\n\`\`\``;
}

/** Writes a comment behind each line, in one column. */
function comment(rows: readonly (readonly [line: string, words: string])[]): readonly string[] {
  const width = Math.max(...rows.map(([line]) => line.length));
  return rows.map(([line, words]) => `${line.padEnd(width)}   # ${words}`);
}

function writeStart({ repository, npm, image, formula }: Channels): string {
  if (repository === null)
    return `**From the sources**, with ${NODE} and npm (\`npm test\` runs the tests):\n\n${fence(["npm start"])}`;
  const folder = repository.slice(repository.lastIndexOf("/") + 1);
  const rows: readonly (readonly [string, string])[] = [
    ...(npm === null ? [] : [[`npx ${npm}`, `with ${NODE}`] as const]),
    ...(formula === null ? [] : [[`brew install ${formula} && poundkey`, "with Homebrew"] as const]),
    ...(image === null
      ? []
      : [[`docker run -p 8080:8080 -v poundkey:/data -e OPENAI_API_KEY ${image}`, "with Docker"] as const]),
    [`git clone ${repository} && cd ${folder} && npm start`, "from the sources"],
  ];
  return fence(comment(rows));
}

function writeNpmPage({ npm, manual, image }: Channels, version: string): string {
  const start =
    npm === null
      ? `The package isn't in npm's registry yet. Install the file that \`npm run build -- --npm\` has written:

${fence([`npm install --global ./poundkey-${version}.tgz`, "poundkey"])}`
      : fence([`npx ${npm}`]);
  const help =
    npm === null
      ? "- `poundkey help` lists all commands."
      : `- \`npx ${npm} help\` lists all commands. To have \`poundkey\` on your PATH: \`npm install --global ${npm}\`.
- In a folder that you don't trust, use the global installation: \`npx\` runs that folder's own \`node_modules/.bin/poundkey\`
  and reads its \`.npmrc\`, and \`bunx\` reads its \`bunfig.toml\` and \`tsconfig.json\`.`;
  const docs = manual === null ? "" : ` It is also at <${manual}>.`;
  return `<!-- Written by UPDATE_DOCS=1 bun test docs/channels from src/deploy/channels.yaml. -->

# Poundkey

One address, one \`sk-\` key, every model: an OpenAI-compatible gateway to the models of many providers.

${start}

That starts a gateway on this machine, and prints its address, a key and a call to try. Without any provider's API key in
the environment (\`OPENAI_API_KEY\`, \`ANTHROPIC_API_KEY\`, \`GEMINI_API_KEY\` …), a simulated provider answers.

The console is at the printed link, which signs in once; the manual is below it at \`/docs\`.${docs}

- Store and keys lie in \`~/.local/share/poundkey\`, the configuration in \`~/.config/poundkey/poundkey.yaml\`. \`XDG_DATA_HOME\`
  and \`XDG_CONFIG_HOME\` move them, \`--store\` and \`--config\` name others. Nothing is read from the working folder.
${help}

It needs ${NODE}, on Linux or macOS. On Windows, use WSL${image === null ? "" : ` or the container image, \`${image}\``}.
`;
}

function writeIssueLinks({ repository, manual }: Channels): string {
  const links = [
    ...(manual === null
      ? []
      : [{ name: "The manual", url: manual, about: "How to set up, configure and run a gateway." }]),
    ...(repository === null
      ? []
      : [
          {
            name: "A security problem",
            url: `${repository}/security/advisories/new`,
            about: "Please report it privately, not as an issue.",
          },
        ]),
  ];
  const listed = links.flatMap(({ name, url, about }) => [
    `  - name: ${name}`,
    `    url: ${url}`,
    `    about: ${about}`,
  ]);
  return [
    "# Written by UPDATE_DOCS=1 bun test docs/channels from src/deploy/channels.yaml.",
    "blank_issues_enabled: false",
    ...(listed.length === 0 ? [] : ["contact_links:", ...listed]),
    "",
  ].join("\n");
}

function writeReporting({ repository }: Channels): string {
  const where =
    repository === null
      ? "on this repository's page: **Security**, then **Report a vulnerability**"
      : `at <${repository}/security/advisories/new>`;
  return `Please report a vulnerability privately, ${where}. Don't open an issue or a pull request for it.`;
}

function writePublished({ repository, signingKey }: Channels): string {
  const where =
    repository === null
      ? "No release is published yet, so there is nothing to download: build from a commit that you trust."
      : `Releases are at <${repository}/releases>.`;
  if (signingKey === null) return `${where} There is no key yet that signs releases.`;
  return `${where} The public key that signs them:\n\n${fence([signingKey.trim()], "")}`;
}

function writeProvenance({ repository }: Channels): string {
  if (repository === null)
    return "Once releases are published, `gh attestation verify FILE` checks it, with the repository's name.";
  const name = new URL(repository).pathname.slice(1);
  return fence([`gh attestation verify FILE --repo ${name}`]);
}

function writeNewer({ npm, formula, image, chart }: Channels, version: string): string {
  const rows = [
    ...(npm === null ? [] : [`| npm | \`npm install --global ${npm}@${version}\` |`]),
    ...(formula === null ? [] : ["| Homebrew | `brew update && brew upgrade poundkey` |"]),
    ...(image === null
      ? []
      : [`| image | \`docker pull ${image}:${version}\`, then start it in the old one's place |`]),
    ...(chart === null
      ? []
      : [`| chart | \`helm upgrade poundkey ${chart} --version ${version} --reuse-values\` |`]),
  ];
  const sources = "| sources | `git pull`, then `npm ci` and `npm run build` |";
  return ["| installed from | the newer version |", "|---|---|", ...rows, sources].join("\n");
}
