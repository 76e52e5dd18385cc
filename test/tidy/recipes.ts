// The recipes of changes in many places. Each is printed by the test that fails while one of its places is missing.

/** By the change's title in src/README.md, "Adding things". Paths without a folder of the repository's are below `src`. */
export const RECIPES = {
  "A provider that speaks the OpenAI dialect": [
    "a file in `providers`, or in `providers/hosts` if the first holds thirty files, with all that is known of it: its address, key variables, the list of models that tells whether it accepts a key (`keyList`), quirks, names that come in families, the fields outside the API that it documents, its codecs beyond chat",
    "its name in `providers/index.ts`",
    "`UPDATE_DOCS=1 bun test docs/extra-fields`",
    "its models: rows in `test/catalogue/hosted.ts`, and the same in `catalogue/models.data.json`, which `bun test/catalogue/build.ts FOLDER` writes if FOLDER has the lists that `test/catalogue/sources.ts` reads",
    "its row in `docs/providers.md`",
    "if public price lists have it, its names there in `catalogue/feeds/provider-names.ts`",
    "if its models search: the capability `search` and the price per search in `test/catalogue/corrections.ts` (then rebuild the catalogue), `searches` in its codec with the options that its tool takes, the decoder's `web_searches`, its search in `simulator/searches.ts`, its columns in `docs/web-search.md`",
    "if it bounds names or ids: `bounds` in its quirks or beside its dialect, and a row in `test/dialects/bound-lint.ts`",
  ],
  "A rule of a target": [
    "its row in `core/models/refusals.ts`, with the dialects that apply it",
    "a request that has the thing in `test/dialects/refusal-probes.ts`, by which each of these dialects is asked whether the thing still leaves",
    "its code, a line in a table: of a dialect (`dialects/openai/quirks.ts`, `models.ts` beside the others such as `dialects/responses/models.ts`), of the orders of roles (`dialects/_chat/arrange.ts`), or of what holds in every dialect (media in `core/models/target-rows.ts`, abilities in `catalogue/overlay.ts`)",
    "its guard in `test/simulator`",
    "`UPDATE_DOCS=1 bun test docs/configuration docs/refusals`",
    "if the request is to be mended once a server refuses it: the sentence in `core/models/words/refusal.ts`, its template in `test/simulator/template-guards.ts`, and `mends` in the codec",
    "if a field or a form can be written in another way in every dialect: the sentence in `field-refusal.ts`, `form-refusal.ts` or `level-refusal.ts` of `core/models/words`, and for a form its word in `body-refusals.ts` there and its function in `dialects/mend.ts`",
  ],
  "A cloud": [
    "its name in `core/settings.ts`",
    "its file in `config/providers` (address, proofs), with its fields in `provider-schema.ts` and `platform.ts` there",
    "a `Carrier` next to each dialect that it serves",
    "its file in `providers`, with `platform`, and its name in `providers/index.ts`",
    "its models, each with its twin at the maker or another host, in `test/catalogue/platforms.ts`",
    "its addresses in `test/whole/world/cloud.ts`",
    "its page in `docs`, such as `docs/azure.md`",
    "if it has an identity from which keys or tokens come: the identity's kind in `core/models/token-source.ts`, its requests as a file in `transport/auth` (with `askLocally` if its server is on the machine's own link), its variables as a file in `config/providers`, the rules of its endpoint in `test/transport/auth/cloud-rules.ts`, each with its source, and a row in `test/transport/auth/identities.test.ts`",
  ],
  "A surface": [
    "a folder in `surfaces` that exports a `Surface`, and its name in `core/log/record.ts`",
    "its paths in `surfaces/index.ts`, and their descriptions for the OpenAPI document in `surfaces/descriptions.ts`",
    "the path that the console asks, in `console/operations/texts.tsx`; the one that batches may ask, in `surfaces/openai-batches/read.ts`; the one at which a demo's visitors may ask, in `app/demo/door/let-through.ts`",
    "the rows of its paths in `docs/routes.md` and `test/abuse/routes.ts`",
    "its reading in `test/surfaces/answers.test.ts`",
    "if it has a family of its own: a table of fields in its `lane.ts`, one of names and places in its `known.ts`, the places of its answers in its `texts.ts`, and a `Lane` next to the dialect",
    "if its answers are kept: a file of their routes such as `http/conversations/interactions.ts`, with a line in `app/routes.ts`; a prefix of their ids that `http/conversations/earlier.ts` tells from others'; and `texts.ts` reaches what is kept of the request",
  ],
  "An operation": [
    "its name in `core/models/card.ts`, and in `http/door/selection.ts` if clients needn't name a model",
    "a folder in `operations` whose `operation.ts` exports an `Operation`, and a line for its codec in `operations/codec.ts`; if its answer is one thing, whole or in parts, `operations/whole.ts` makes the operation",
    "the codecs of the dialects that serve it, in the files of their providers with the fields that these document",
    "a surface",
    "its rows in `docs/operations.md`, and its section there or in a chapter of its own",
    "its answers in `console/operations/texts.tsx` or `console/operations/media.tsx`, with a row in `console/operations/operation.ts`; the form comes from the route's schema",
    "its simulation: a `WholeForm` in `simulator/vectors.ts` or `simulator/media.ts` (of a variant, a row in a dialect such as `simulator/mistral.ts`), with a model in `simulator/models.ts` and a check in `test/simulator/whole-validator.ts`",
  ],
  "A thing": [
    "a table of its fields in a file of `core/fields`, the first of them of the kind `name`; a field of the kind `expiry` is only shown",
    "its row in `core/things/plain-things.ts` (`makePlainThing`), with its names, those fields, the most that an account has, and the permissions to see and to change it",
    'a step in `store/schema/steps.ts`: `declareThing("notice", [NOTICE_FIELDS.title, …])`, each field by its name, since a field that comes later takes a step of its own; then `UPDATE_SCHEMAS=1 bun test store/schemas`',
    "its seven routes, two of them of its export: `test/people/matrix.ts`, `test/http/route-schemas.test.ts` (the export's in `test/http/routes-apart.ts`)",
    "its three changes in `test/whole/audit/changes.ts`",
    "its page in `test/console/views.ts`",
    "a section in a chapter such as `docs/admin-models.md`, in which two comments enclose the table of its fields, as in the section on accounts, for `UPDATE_DOCS=1 bun test docs/fields`",
    "its rows among the exports in `docs/admin-api.md` and the commands in `docs/command-line.md`, its name among the commands that work from another machine, and a sentence each in `docs/state.md` and `docs/console.md`",
    "the first thing takes what it imports from the list of makers in `test/tidy/exports.test.ts`",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Title = keyof typeof RECIPES;

const isTitle = (title: string): title is Title => Object.hasOwn(RECIPES, title);

/** Returns the message of an assertion that a change is made in all of its places. */
export function writeRecipe(title: Title): string {
  return [`${title} takes:`, ...RECIPES[title].map((step) => `- ${step}`)].join("\n");
}

/** Returns the recipe of a change, or an empty text for one that the guide describes alone. */
export function findRecipe(title: string): string {
  return isTitle(title) ? writeRecipe(title) : "";
}
