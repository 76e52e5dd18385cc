// The commands that the comparison and the guide to releases print, each with what has run it.

/** The reason to believe that a command works as printed, or why it can't be run here. */
export type Proof =
  /** The test beside this file runs it. */
  | { readonly by: "this test" }
  /** It runs test files, which are there. */
  | { readonly by: "its tests" }
  /** Another file runs it, by these words. */
  | { readonly by: "another file"; readonly file: string; readonly words: readonly string[] }
  /** It acts by an account of the owner's. */
  | { readonly by: "an account"; readonly of: string };

const HERE: Proof = { by: "this test" };
const ITS_TESTS: Proof = { by: "its tests" };
const ranBy = (file: string, ...words: readonly string[]): Proof => ({ by: "another file", file, words });
const ofAccount = (of: string): Proof => ({ by: "an account", of });

const NPM = "the package's owner at npm";

export const PROOFS: Readonly<Record<string, Proof>> = {
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
