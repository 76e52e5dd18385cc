// Images in the playground: pictures from a description, or from another picture, to look at and to download.
import { useMemo, useState } from "preact/hooks";
import { AreaField, SelectField } from "../parts/field.tsx";
import { FileField } from "../parts/file-field.tsx";
import type { Counted } from "./ask.ts";
import { decodeMedia, useAddress } from "./media.ts";
import { Panel, type PanelProps } from "./panel.tsx";

type Picture = Partial<Record<"b64_json" | "url" | "revised_prompt", string>>;

interface Answer extends Counted {
  readonly data: readonly Picture[];
}

const SIZES = ["", "1024x1024", "1536x1024", "1024x1536", "512x512"].map((value) => ({
  value,
  label: value === "" ? "model's own" : value.replace("x", " × "),
}));
const NUMBERS = ["1", "2", "3", "4"].map((value) => ({ value, label: value }));

export function ImagesPanel({ model }: PanelProps) {
  const [prompt, setPrompt] = useState("");
  const [size, setSize] = useState("");
  const [number, setNumber] = useState("1");
  const [image, setImage] = useState<File | null>(null);
  const fields = { model, prompt, n: Number(number), size, response_format: "b64_json", image };
  return (
    <Panel
      path={image ? "/v1/images/edits" : "/v1/images/generations"}
      fields={fields}
      action="Draw"
      isReady={prompt.trim() !== ""}
      show={({ data }: Answer) => (
        <div class="pictures">
          {data.map((picture, at) => (
            <PictureView key={at} picture={picture} number={at + 1} />
          ))}
        </div>
      )}
    >
      <AreaField
        label="Description"
        placeholder="A lighthouse in a storm, as a woodcut"
        value={prompt}
        onInput={setPrompt}
      />
      <div class="parameters">
        <SelectField label="Size" value={size} options={SIZES} onChange={setSize} />
        <SelectField label="Pictures" value={number} options={NUMBERS} onChange={setNumber} />
      </div>
      <FileField label="Picture to change (optional)" accept="image/*" onFile={setImage} />
    </Panel>
  );
}

interface PictureProps {
  readonly picture: Picture;
  readonly number: number;
}

/** Some providers give an address in place of the picture, which this page may not load. */
function PictureView({ picture: { b64_json: text, url, revised_prompt: revised }, number }: PictureProps) {
  return (
    <figure class="picture">
      {text !== undefined && <Shown text={text} number={number} />}
      {url !== undefined && (
        <a href={url} target="_blank" rel="noreferrer">
          Picture {number} at its provider
        </a>
      )}
      {revised && <figcaption class="small faint">{revised}</figcaption>}
    </figure>
  );
}

function Shown({ text, number }: { readonly text: string; readonly number: number }) {
  const { data, ending } = useMemo(() => decodeMedia([text]), [text]);
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
