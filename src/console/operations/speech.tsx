// Speech in the playground: a text to listen to.
import { useState } from "preact/hooks";
import { readEvents } from "../events.ts";
import { AreaField, SelectField, TextField } from "../parts/field.tsx";
import type { Counted, Spent } from "./ask.ts";
import { decodeMedia, type Media, useAddress } from "./media.ts";
import { Panel, type PanelProps } from "./panel.tsx";

interface Answer extends Counted {
  readonly sound: Media;
}

/** Those that browsers play; raw PCM is none of them. */
const FORMATS = ["mp3", "wav", "opus", "aac", "flac"].map((value) => ({ value, label: value }));

export function SpeechPanel({ model }: PanelProps) {
  const [input, setInput] = useState("Good morning. This is your gateway speaking.");
  const [voice, setVoice] = useState("alloy");
  const [format, setFormat] = useState("mp3");
  const fields = { model, input, voice, response_format: format };
  return (
    <Panel
      path="/v1/audio/speech"
      fields={{ ...fields, stream_format: "sse" }}
      shown={fields}
      output={`speech.${format}`}
      action="Speak"
      isReady={input.trim() !== ""}
      read={readSpeech}
      show={({ sound }: Answer) => <Player sound={sound} />}
    >
      <AreaField label="Text" value={input} onInput={setInput} />
      <div class="two">
        <TextField label="Voice" hint="By the provider's own name for it" value={voice} onInput={setVoice} />
        <SelectField label="Format" value={format} options={FORMATS} onChange={setFormat} />
      </div>
    </Panel>
  );
}

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

function Player({ sound: { data, ending } }: { readonly sound: Media }) {
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
