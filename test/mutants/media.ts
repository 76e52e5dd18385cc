// Mutants of streamed pictures, speech and transcripts, and of large pictures.
import type { Mutant } from "./mutant.ts";

const STREAMED = ["test/whole/answers/media-streams.test.ts"];
const FORMS = ["test/operations/media/forms.test.ts"];
const DECODERS = "src/dialects/openai/media-streams.ts";

export const MEDIA: readonly Mutant[] = [
  {
    name: "media: more drafts are shown than were held for",
    file: DECODERS,
    find: '.partial_image") || draftsLeft-- <= 0)',
    replace: '.partial_image"))',
    tests: STREAMED,
  },
  {
    name: "media: a stream that breaks off is whole",
    file: DECODERS,
    find: "if (!handler.isWhole()) throw",
    replace: "if (false) throw",
    tests: STREAMED,
  },
  {
    name: "media: the count of a stream's last event is lost",
    file: "src/operations/part-reader.ts",
    find: "if (usage) this.#usage = this.#usage",
    replace: "if (usage?.cost) this.#usage = this.#usage",
    tests: STREAMED,
  },
  {
    name: "media: a broken stream gives all places back",
    file: "src/operations/part-reader.ts",
    find: 'this.hasAnswer ||= piece.kind !== "usage";',
    replace: "",
    tests: STREAMED,
  },
  {
    name: "media: sound that breaks off ends as if it were whole",
    file: "src/http/door/stream.ts",
    find: 'if (last === null) return void controller.close(new Error("The answer ended early."));',
    replace: "if (last === null) return void controller.end();",
    tests: STREAMED,
  },
  {
    name: "media: sound is collected before it is sent",
    file: "src/surfaces/openai-speech/surface.ts",
    find: "stream: true,",
    replace: "stream: false,",
    tests: STREAMED,
  },
  {
    name: "media: a picture asked for as a stream is made again for the same key",
    file: "src/operations/images/operation.ts",
    find: "identify: ({ stream: _stream, partialImages: _drafts, ...ask })",
    replace: "identify: ({ partialImages: _drafts, ...ask })",
    tests: STREAMED,
  },
  {
    name: "media: Mistral's pieces of a transcript are passed over",
    file: DECODERS,
    find: "readDelta(delta ?? piece, extras)",
    replace: 'readDelta(delta ?? "", extras)',
    tests: FORMS,
  },
  {
    name: "media: vLLM's transcript is lost at its end",
    file: DECODERS,
    find: "atDone: () => finish(usage === undefined ? { text } :",
    replace: 'atDone: () => finish(usage === undefined ? { text: "" } :',
    tests: FORMS,
  },
  {
    name: "media: vLLM's report of a stream is passed over",
    file: DECODERS,
    find: "usage = body.usage ?? usage;",
    replace: "",
    tests: FORMS,
  },
  {
    name: "sound: the container's word counts, however many bytes follow",
    file: "src/operations/transcription/sound/length.ts",
    find: "Math.max(1, Math.ceil(seconds ?? 0), longest)",
    replace: "Math.max(1, Math.ceil(seconds ?? longest))",
    tests: ["test/operations/sound/lengths.test.ts", "test/whole/money/sound-money.test.ts"],
  },
  {
    name: "sound: a file may be read without end",
    file: "src/operations/transcription/sound/bytes.ts",
    find: "if (this.#read > BYTES_READ_MAX)",
    replace: "if (this.#read < 0)",
    tests: ["test/operations/sound/hostile.test.ts"],
  },
  {
    name: "sound: tags are read through",
    file: "src/operations/transcription/sound/length.ts",
    find: "const at = skipTags(bytes);",
    replace: "const at = 0;",
    tests: ["test/operations/sound/lengths.test.ts"],
  },
  {
    name: "sound: a text is asked for as text, which has no report",
    file: "src/dialects/openai/transcript-formats.ts",
    find: 'if (WHISPER.test(name)) return makeAsked(ask, isReported ? ask.format : "verbose_json");',
    replace: "if (WHISPER.test(name)) return makeAsked(ask, ask.format);",
    tests: ["test/operations/media/formats.test.ts"],
  },
  {
    name: "sound: what is surely refused is refused after the estimate",
    file: "src/ledger/ledger.ts",
    find: "const offers = findLeast(ask);\n  const demand = makeAdmission(store.node, ticket, wants.of(ask.key), offers);",
    replace:
      "const offers = ask;\n  const demand = makeAdmission(store.node, ticket, wants.of(ask.key), offers);",
    tests: ["test/ledger/look.test.ts"],
  },
  {
    name: "sound: the look refuses whoever has no balance",
    file: "src/ledger/ledger.ts",
    find: 'if (answer.kind === "refused") throw answer.fault;',
    replace: 'if (answer.kind !== "granted" || answer.holdNanoUsd > 9) throw new Error("refused");',
    tests: ["test/ledger/look.test.ts"],
  },
  {
    name: "media: speakers are not told in a transcript that came whole",
    file: "src/surfaces/openai-transcriptions/writer.ts",
    find: "if (isSpoken) return",
    replace: "if (!isSpoken) return",
    tests: FORMS,
  },
  {
    name: "media: servers without streams are asked for one",
    file: "src/dialects/openai/images.ts",
    find: "streams?.test(name) === true",
    replace: "streams?.test(name) !== false",
    tests: FORMS,
  },
  {
    name: "media: one long text is sent as often as a provider names it",
    file: "src/core/json/long.ts",
    find: "left.delete(value);",
    replace: "",
    tests: ["test/operations/media/long-json.test.ts"],
  },
  {
    name: "media: the memory of pictures waits for the collector",
    file: "src/http/serve/direct.ts",
    find: "      release(pieces);",
    replace: "",
    tests: ["test/operations/media/memory.test.ts"],
  },
];
