// The commands that README, the comparison and the guide to releases print, each with what has run it.

/** The reason to believe that a command works as printed, or why it can't be run here. */
export type Proof =
  /** The test beside this file runs it. */
  | { readonly by: "this test" }
  /** It runs test files, which are there. */
  | { readonly by: "its tests" }
  /** Another file runs it, by these words. */
  | { readonly by: "another file"; readonly file: string; readonly words: readonly string[] }
  /** It acts by an account of the owner's. */
  | { readonly by: "an account"; readonly of: string }
  /** It takes a program or a place that tests mustn't count on. */
  | { readonly by: "hand"; readonly needs: string };

const HERE: Proof = { by: "this test" };
const ITS_TESTS: Proof = { by: "its tests" };
const ranBy = (file: string, ...words: readonly string[]): Proof => ({ by: "another file", file, words });
const ofAccount = (of: string): Proof => ({ by: "an account", of });
const byHand = (needs: string): Proof => ({ by: "hand", needs });

const NPM = "the package's owner at npm";

export const PROOFS: Readonly<Record<string, Proof>> = {
  // README
  "npm start": ranBy("test/ci/start.ts", '["npm", "start"]'),
  "npm test": ranBy("test/ci/steps.ts", '"test/run.ts", "--each-alone"'),
  "npx bun src/main.ts setup": ranBy("test/cli/setup/process.test.ts", "poundkey(", '"setup"'),
  "npx bun src/main.ts demo": ranBy("test/console/showcase.ts", '[...PROGRAM, "demo"'),
  "npm run build": ranBy("test/run.ts", '"src/app/build/build.ts", "--outfile"'),
  "./dist/poundkey serve --quickstart": ranBy("src/deploy/release/smoke.sh", '"$binary" serve --quickstart'),
  "docker build -t poundkey .": byHand("Docker"),
  "docker run -p 8080:8080 -v poundkey:/data -e OPENAI_API_KEY poundkey": byHand("Docker"),
  "poundkey samples DIR": ranBy("test/cli/samples.test.ts", 'poundkey(folder, ["samples", "new/place"]'),
  "kill -9": ranBy("test/kill/campaign.ts", 'victim.signal("SIGKILL")'),
  "npm run test:kill -- --times 1000": ranBy("test/ci/steps.ts", '"kill", "--times", isLong ? "1000"'),
  "npm run bench -- --peers": byHand("Portkey's package, and a machine that does nothing else"),
  "npm run bench:router": HERE,

  // The comparison
  "bun test store/postgres/nodes": ITS_TESTS,
  "bun test store/sqlite": ITS_TESTS,
  "poundkey accounts list": HERE,
  "poundkey audit verify": HERE,
  "poundkey check": HERE,
  "poundkey check --probe": ranBy("test/cli/check.test.ts", '"--probe"'),
  "poundkey keys list": HERE,
  "poundkey members list": HERE,
  "poundkey models": HERE,
  "poundkey providers": HERE,
  "poundkey tokens list": HERE,
  "poundkey usage": HERE,

  // Releases
  "openssl genpkey -algorithm ed25519 -out release.key": HERE,
  "openssl pkey -in release.key -pubout -out release.pub": HERE,
  "npm run build -- --npm": ranBy("test/app/npm/packed.ts", "src/app/build/build.ts", '"--npm"'),
  "UPDATE_DOCS=1 bun test test/docs/channels": ITS_TESTS,
  "npm test -- deploy docs": ITS_TESTS,
  "src/deploy/release/check-compare.sh": ranBy(
    "test/deploy/release/check-compare.test.ts",
    '"check-compare.sh"',
  ),
  "src/deploy/release/check-tag.sh vX.Y.Z": ranBy("test/deploy/release/check-tag.test.ts", '"check-tag.sh"'),
  ".ci/run long": ranBy("test/ci/run.ts", 'positionals.includes("long")'),
  "git tag -a vX.Y.Z": ofAccount("the repository"),
  "git revert": ofAccount("the repositories of the tap and of the manual"),
  "npm publish dist/poundkey-VERSION.tgz --access public": ofAccount(NPM),
  'npm deprecate poundkey@X.Y.Z "REASON"': ofAccount(NPM),
  "npm dist-tag add poundkey@GOOD latest": ofAccount(NPM),
  "skopeo copy --all docker://IMAGE:GOOD docker://IMAGE:latest": ofAccount("the registry of images"),
};
