// Images in the playground: pictures from a description, or from another picture, to look at and to download.
import type { Counted } from "./ask.ts";
import { decodeMedia, type Media, useAddress } from "./media.ts";
import { makePanel } from "./panel.tsx";

interface Picture {
  /** null: the provider gave an address in place of the picture, which this page may not load. */
  readonly media: Media | null;
  readonly url: string | undefined;
  readonly revised: string | undefined;
}

interface Answer extends Counted {
  readonly pictures: readonly Picture[];
}

interface Body extends Counted {
  readonly data: readonly Partial<Record<"b64_json" | "url" | "revised_prompt", string>>[];
}

async function readPictures(response: Response): Promise<Answer> {
  const { data, usage = {} }: Body = await response.json();
  const pictures = data.map(({ b64_json: text, url, revised_prompt: revised }) => {
    return { media: text === undefined ? null : decodeMedia([text]), url, revised };
  });
  return { pictures, usage };
}

const SIZES = ["", "1024x1024", "1536x1024", "1024x1536", "512x512"];
const PLACEHOLDER = "A lighthouse in a storm, as a woodcut";

export const ImagesPanel = makePanel<Answer>({
  action: "Draw",
  rows: [
    { name: "prompt", label: "Description", rows: 3, placeholder: PLACEHOLDER },
    { name: "size", label: "Size", options: SIZES },
    { name: "n", label: "Number", first: "1", options: ["1", "2", "3", "4"] },
    { name: "image", label: "Picture to change", accept: "image/*", isOptional: true },
  ],
  ask: ({ n, image = "", ...fields }) => ({
    path: image === "" ? "/v1/images/generations" : "/v1/images/edits",
    fields: { ...fields, n: Number(n), response_format: "b64_json", image },
  }),
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
  readonly picture: Picture;
  readonly number: number;
}

function PictureView({ picture: { media, url, revised }, number }: PictureProps) {
  return (
    <figure class="picture">
      {media && <Shown media={media} number={number} />}
      {url?.startsWith("https://") && (
        <a href={url} target="_blank" rel="noreferrer">
          Picture {number} at its provider
        </a>
      )}
      {revised && <figcaption class="small faint">{revised}</figcaption>}
    </figure>
  );
}

function Shown({ media: { data, ending }, number }: { readonly media: Media; readonly number: number }) {
  const address = useAddress(data);
  if (address === undefined) return null;
  return (
    <>
      <img src={address} alt={`number ${number}`} />
      <a class="button tiny" href={address} download={`picture-${number}.${ending}`}>
        Download picture {number}
      </a>
    </>
  );
}
