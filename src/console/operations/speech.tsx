// Speech in the playground: a text to listen to.
import { readEvents } from "../events.ts";
import type { Counted, Spent } from "./ask.ts";
import { decodeMedia, type Media, useAddress } from "./media.ts";
import { makePanel } from "./panel.tsx";

interface Answer extends Counted {
  readonly sound: Media;
}

/** Those that browsers play; raw PCM is none of them. */
const FORMATS = ["mp3", "wav", "opus", "aac", "flac"];
const GREETING = "Good morning. This is your gateway speaking.";

export const SpeechPanel = makePanel<Answer>({
  action: "Speak",
  rows: [
    { name: "input", label: "Text", rows: 3, first: GREETING },
    { name: "voice", label: "Voice", hint: "By the provider's own name for it", first: "alloy" },
    { name: "format", label: "Format", first: "mp3", options: FORMATS },
  ],
  ask({ format, ...given }) {
    const shown = { ...given, response_format: format };
    const output = `speech.${format}`;
    return { path: "/v1/audio/speech", fields: { ...shown, stream_format: "sse" }, shown, output };
  },
  read: readSpeech,
  Show: Player,
});

interface Event {
  readonly audio?: string;
  readonly usage?: Spent;
  readonly error?: { readonly message: string };
}

/** As events: the sound alone would not say what it cost. */
async function readSpeech({ body }: Response): Promise<Answer> {
  const pieces: string[] = [];
  let spent: Spent = {};
  if (!body) throw new Error("The gateway sent nothing.");
  for await (const data of readEvents(body)) {
    if (!data.startsWith("{")) continue;
    const { audio, usage, error }: Event = JSON.parse(data);
    if (error) throw new Error(error.message);
    if (audio !== undefined) pieces.push(audio);
    spent = usage ?? spent;
  }
  return { sound: decodeMedia(pieces), usage: spent };
}

function Player({ answer }: { readonly answer: Answer }) {
  const { data, ending } = answer.sound;
  const address = useAddress(data);
  if (address === undefined) return null;
  return (
    <div class="row">
      {/* biome-ignore lint/a11y/useMediaCaption: the text stands above it. */}
      <audio controls src={address} aria-label="Speech" />
      <a class="button tiny" href={address} download={`speech.${ending}`}>
        Download
      </a>
    </div>
  );
}
