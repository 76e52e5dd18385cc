// The playground's operations that answer with media: images and speech.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { createObjectUrl } from "../browser.ts";
import { readEvents } from "../frame/api.ts";
import type { AnswerSpending, WithUsage } from "./ask.ts";
import { makePanel } from "./panel.tsx";

/** Recognised by their first bytes, since providers may ignore the requested format. None can contain a script. */
const FORMATS: readonly (readonly [start: RegExp, type: string, ending: string])[] = [
  [/^\x89PNG/, "image/png", "png"],
  [/^\xff\xd8\xff/, "image/jpeg", "jpg"],
  [/^RIFF.{4}WEBP/s, "image/webp", "webp"],
  [/^RIFF.{4}WAVE/s, "audio/wav", "wav"],
  [/^OggS/, "audio/ogg", "ogg"],
  [/^fLaC/, "audio/flac", "flac"],
  [/^\xff[\xf0\xf1\xf8\xf9]/, "audio/aac", "aac"],
  [/^(ID3|\xff[\xe0-\xff])/, "audio/mpeg", "mp3"],
];

interface AnswerMedia {
  readonly data: Blob;
  /** The file extension. */
  readonly ending: string;
}

function decode(piece: string): string {
  try {
    return atob(piece);
  } catch {
    throw new Error("The provider's answer is malformed and can't be shown.");
  }
}

/** Decodes pieces of base64, each on its own. Throws if a piece is malformed. */
function decodeMedia(pieces: readonly string[]): AnswerMedia {
  const texts = pieces.map(decode);
  const [, type = "application/octet-stream", ending = "bin"] =
    FORMATS.find(([start]) => start.test(texts[0] ?? "")) ?? [];
  const bytes = texts.map((text) => Uint8Array.from(text, (character) => character.charCodeAt(0)));
  return { data: new Blob(bytes, { type }), ending };
}

interface MediaFileProps {
  readonly media: AnswerMedia;
  /** The file name without its extension. */
  readonly name: string;
  /** The text of the download link. */
  readonly label: string;
  readonly children: (address: string) => ComponentChildren;
}

/** Shows media through an object URL, which is revoked once it is no longer shown. */
function MediaFile({ media: { data, ending }, name, label, children }: MediaFileProps) {
  const [address, setAddress] = useState<string>();
  useLayoutEffect(() => {
    const { url, revoke } = createObjectUrl(data);
    setAddress(url);
    return revoke;
  }, [data]);
  if (address === undefined) return null;
  return (
    <>
      {children(address)}
      <a class="button tiny" href={address} download={`${name}.${ending}`}>
        {label}
      </a>
    </>
  );
}

interface ShownPicture {
  /** Null if the provider sent a URL instead, which this page isn't allowed to load. */
  readonly media: AnswerMedia | null;
  readonly url: string | undefined;
  readonly revised: string | undefined;
}

interface Pictures extends WithUsage {
  readonly pictures: readonly ShownPicture[];
}

interface PicturesBody extends WithUsage {
  readonly data: readonly Partial<Record<"b64_json" | "url" | "revised_prompt", string>>[];
}

async function readPictures(response: Response): Promise<Pictures> {
  const { data, usage = {} }: PicturesBody = await response.json();
  const pictures = data.map(({ b64_json: text, url, revised_prompt: revised }) => {
    return { media: text === undefined ? null : decodeMedia([text]), url, revised };
  });
  return { pictures, usage };
}

/** Generates or edits images. */
export const ImagesPanel = makePanel<Pictures>({
  action: "Generate",
  tasks: { Create: "/v1/images/generations", Edit: "/v1/images/edits" },
  first: { prompt: "", size: "", n: 1, image: "", response_format: "b64_json" },
  long: ["prompt"],
  accept: "image/*",
  hidden: ["response_format", "partial_images"],
  read: readPictures,
  Show: ({ answer: { pictures } }) => (
    <div class="pictures">
      {pictures.map((picture, at) => (
        <PictureView key={at} picture={picture} number={at + 1} />
      ))}
    </div>
  ),
});

interface PictureProps {
  readonly picture: ShownPicture;
  readonly number: number;
}

function PictureView({ picture: { media, url, revised }, number }: PictureProps) {
  return (
    <figure class="picture">
      {media && (
        <MediaFile media={media} name={`image-${number}`} label={`Download image ${number}`}>
          {(address) => <img src={address} alt={`number ${number}`} />}
        </MediaFile>
      )}
      {url?.startsWith("https://") && (
        <a href={url} target="_blank" rel="noreferrer">
          Image {number} on the provider's server
        </a>
      )}
      {revised && <figcaption class="small faint">{revised}</figcaption>}
    </figure>
  );
}

interface Speech extends WithUsage {
  readonly sound: AnswerMedia;
}

const GREETING = "Good morning. This is your gateway speaking.";

/** Reads a text aloud. */
export const SpeechPanel = makePanel<Speech>({
  action: "Speak",
  tasks: { Speak: "/v1/audio/speech" },
  first: { input: GREETING, voice: "alloy", response_format: "mp3" },
  long: ["input", "instructions"],
  hidden: ["stream_format"],
  own: { stream_format: "sse" },
  name: ({ response_format: format = "mp3" }) => `speech.${format}`,
  read: readSpeech,
  Show: ({ answer: { sound } }) => (
    <div class="row">
      <MediaFile media={sound} name="speech" label="Download">
        {(address) => (
          // biome-ignore lint/a11y/useMediaCaption: the text stands above it.
          <audio controls src={address} aria-label="Speech" />
        )}
      </MediaFile>
    </div>
  ),
});

interface MediaEvent {
  readonly audio?: string;
  readonly usage?: AnswerSpending;
  readonly error?: { readonly message: string };
}

/** Reads speech as events: the audio alone wouldn't include its cost. */
async function readSpeech({ body }: Response): Promise<Speech> {
  const pieces: string[] = [];
  let spent: AnswerSpending = {};
  if (!body) throw new Error("The gateway sent an empty answer.");
  for await (const data of readEvents(body)) {
    if (!data.startsWith("{")) continue;
    const { audio, usage, error }: MediaEvent = JSON.parse(data);
    if (error) throw new Error(error.message);
    if (audio !== undefined) pieces.push(audio);
    spent = usage ?? spent;
  }
  return { sound: decodeMedia(pieces), usage: spent };
}
