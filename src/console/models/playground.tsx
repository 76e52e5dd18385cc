// Playground: a chat with one model or several side by side, streamed through the gateway, or another operation of a
// model.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { getGatewayUrl, readStored, writeStored } from "../browser.ts";
import { SELECTORS, useModels } from "../frame/names.ts";
import { route } from "../frame/route.ts";
import { useRun } from "../frame/task.ts";
import { takeHandoff } from "../log/handoff.ts";
import { CHAT, listOperations } from "../operations/operation.ts";
import { Button, Code, Segments } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Filter } from "../parts/field.tsx";
import { PageHead } from "../parts/page.tsx";
import { LANGUAGES, type Language, writeSnippet } from "../parts/snippets.ts";
import { NoProvider } from "../providers/no-provider.tsx";
import { Composer, type Prompt } from "./composer.tsx";
import { Parameters, parseParameters, type TypedValues } from "./parameters.tsx";
import { KeyFilter, NoPlaygroundKey, usePlaygroundKey } from "./playground-key.tsx";
import { type Lane, LaneHead, LaneView } from "./playground-lane.tsx";
import { type Answer, streamAnswer, WAITING } from "./playground-run.ts";

const LANES_MAX = 4;
const MODELS_KEPT = "playground.models";

function chooseFirstModels(sample: string): readonly string[] {
  const named = route.value.query.get("model");
  if (named) return [named];
  const kept = readStored(MODELS_KEPT)?.split("\n").filter(Boolean) ?? [];
  return kept.length > 0 ? kept.slice(0, LANES_MAX) : [sample];
}

/** The same model twice compares nothing: a selector comes first, then any model that isn't there yet. */
function chooseAnother(lanes: readonly Lane[], others: readonly string[]): string | undefined {
  const isThere = (id: string) => lanes.some(({ model }) => model === id);
  return [...SELECTORS.map(({ id }) => id), ...others].find((id) => !isThere(id));
}

let lanesMade = 0;
const newLane = (model: string): Lane => ({ id: ++lanesMade, model, turns: [] });

/** A turn of a logged conversation, whose figures are on that request's page. */
function makeTurn({ prompt, answer }: { readonly prompt: string; readonly answer: string }) {
  return {
    prompt: { text: prompt, images: [] },
    answer: { ...WAITING, state: "done", text: answer },
  } as const;
}

/** The lanes, and the actions on all of them at once. */
function useLanes(sample: string, others: readonly string[]) {
  const [handed] = useState(takeHandoff);
  const makeHandedLane = (model: string): Lane => ({
    ...newLane(model),
    turns: handed?.turns.map(makeTurn) ?? [],
  });
  const [lanes, setLanes] = useState<readonly Lane[]>([]);
  const { isRunning, stop, start } = useRun();
  useEffect(() => {
    if (others.length > 0)
      setLanes(handed ? handed.models.map(makeHandedLane) : chooseFirstModels(sample).map(newLane));
  }, [others.length > 0]);
  const setModels = (changed: readonly Lane[]) => {
    setLanes(changed);
    writeStored(MODELS_KEPT, changed.map(({ model }) => model).join("\n"));
  };
  const send = (prompt: Prompt, setup: PlaygroundSetup) => {
    setLanes(lanes.map((lane) => ({ ...lane, turns: [...lane.turns, { prompt, answer: WAITING }] })));
    const put = (id: number, answer: Answer) => setLanes((before) => withAnswer(before, id, answer));
    const askAll = (signal: AbortSignal) =>
      Promise.all(
        lanes.map((lane) =>
          streamAnswer(makeRequest(lane, setup, prompt), signal, (answer) => put(lane.id, answer)),
        ),
      );
    return start(askAll);
  };
  return {
    lanes,
    handed,
    isRunning,
    send,
    stop,
    add: () => setModels([...lanes, newLane(chooseAnother(lanes, others) ?? sample)]),
    remove: (id: number) => setModels(lanes.filter((lane) => lane.id !== id)),
    setModel: (id: number, model: string) =>
      setModels(lanes.map((lane) => (lane.id === id ? { ...lane, model } : lane))),
    clear: () => setLanes(lanes.map((lane) => ({ ...lane, turns: [] }))),
  };
}

type Chat = ReturnType<typeof useLanes>;

export function PlaygroundPage() {
  const key = usePlaygroundKey();
  if (key.options === null || key.options.length === 0) return <NoPlaygroundKey options={key.options} />;
  return <Playground asking={<KeyFilter {...key} />} />;
}

interface PlaygroundAskingProps {
  /** The choice of the key that asks. */
  readonly asking: ComponentChildren;
}

function Playground({ asking }: PlaygroundAskingProps) {
  const models = useModels();
  const chat = useLanes(
    models.sample,
    models.on.map(({ id }) => id),
  );
  const [wanted, setWanted] = useState("chat");
  const [first, ...others] = chat.lanes;
  if (models.areKnown && models.on.length === 0) {
    return (
      <>
        <PageHead title="Playground" />
        <NoProvider />
      </>
    );
  }
  const offered = first ? listOperations(first.model, models) : [];
  const { value: chosen, Panel } = offered.find(({ value }) => value === wanted) ?? offered[0] ?? CHAT;
  const choice = offered.length > 1 && (
    <Filter label="Operation" value={chosen} options={offered} onInput={setWanted} />
  );
  if (!first || others.length > 0 || !Panel) return <ChatPage chat={chat} choice={choice} asking={asking} />;
  return (
    <div class="stack">
      <PageHead title="Playground" actions={asking} />
      <section class="card" aria-label={`Model 1: ${first.model}`}>
        <LaneHead model={first.model} number={1} onModel={(model) => chat.setModel(first.id, model)}>
          {choice}
        </LaneHead>
        <Panel key={chosen} model={first.model} />
      </section>
    </div>
  );
}

interface ChatProps extends PlaygroundAskingProps {
  readonly chat: Chat;
  /** The choice of another operation, offered while there is only one lane. */
  readonly choice: ComponentChildren;
}

function ChatPage({ chat, choice, asking }: ChatProps) {
  const { handed } = chat;
  const [typed, setTyped] = useState<TypedValues>(handed?.system ? { system: handed.system } : {});
  const [open, setOpen] = useState<"parameters" | "code" | null>(null);
  const setup: PlaygroundSetup = { system: typed.system ?? "", fields: parseParameters(typed) };
  const { lanes, isRunning } = chat;
  return (
    <div class="playground">
      <Head
        chat={chat}
        asking={asking}
        onTune={() => setOpen(open === "parameters" ? null : "parameters")}
        onCode={() => setOpen("code")}
      />
      {open === "parameters" && <Parameters typed={typed} onChange={setTyped} />}
      <div class="lanes">
        {lanes.map((lane, at) => (
          <LaneView
            key={lane.id}
            lane={lane}
            number={at + 1}
            onModel={(model) => chat.setModel(lane.id, model)}
            choice={lanes.length > 1 ? null : choice}
            onRemove={lanes.length > 1 && !isRunning ? () => chat.remove(lane.id) : null}
          />
        ))}
      </div>
      {lanes.length > 0 && lanes.every(({ turns }) => turns.length === 0) && setup.fields !== null && (
        <Starters onChoose={(text) => void chat.send({ text, images: [] }, setup)} />
      )}
      <Composer
        first={handed?.prompt ?? ""}
        isRunning={isRunning}
        isBlocked={setup.fields === null || lanes.length === 0}
        onSend={(prompt) => void chat.send(prompt, setup)}
        onStop={chat.stop}
      />
      {open === "code" && <CodeDialog lanes={lanes} setup={setup} onClose={() => setOpen(null)} />}
    </div>
  );
}

const STARTERS = [
  "Explain what an API gateway does, in two sentences.",
  "Write a function that finds the longest word in a text.",
  "Plan a quiet weekend by the sea.",
];

function Starters({ onChoose }: { readonly onChoose: (text: string) => void }) {
  return (
    <div class="row starters">
      {STARTERS.map((text) => (
        <Button label={text} key={text} isTiny onClick={() => onChoose(text)} />
      ))}
    </div>
  );
}

interface PlaygroundHeadProps extends PlaygroundAskingProps {
  readonly chat: Chat;
  readonly onTune: () => void;
  readonly onCode: () => void;
}

function Head({ chat: { lanes, isRunning, add, clear }, asking, onTune, onCode }: PlaygroundHeadProps) {
  const isEmpty = lanes.every(({ turns }) => turns.length === 0);
  const actions = (
    <>
      {asking}
      <Button label="Parameters" icon="limits" onClick={onTune} />
      <Button label="View as code" icon="code" isDisabled={lanes.length === 0} onClick={onCode} />
      <Button
        label="Compare"
        icon="plus"
        // The first lane appears once the models have loaded; until then there is nothing to compare with.
        isDisabled={lanes.length === 0 || lanes.length >= LANES_MAX || isRunning}
        onClick={add}
      />
      <Button label="Clear" isDisabled={isRunning || isEmpty} onClick={clear} />
    </>
  );
  return <PageHead title="Playground" actions={actions} />;
}

function withAnswer(lanes: readonly Lane[], id: number, answer: Answer): readonly Lane[] {
  return lanes.map((lane) => {
    const last = lane.turns.at(-1);
    return lane.id === id && last
      ? { ...lane, turns: [...lane.turns.slice(0, -1), { ...last, answer }] }
      : lane;
  });
}

function makeContent({ text, images }: Prompt): unknown {
  if (images.length === 0) return text;
  const pictures = images.map((url) => ({ type: "image_url", image_url: { url } }));
  return text === "" ? pictures : [{ type: "text", text }, ...pictures];
}

/** The settings that all lanes share. */
interface PlaygroundSetup {
  readonly system: string;
  /** Null if a parameter is out of bounds. */
  readonly fields: ReturnType<typeof parseParameters>;
}

function makeMessages({ turns }: Lane, { system }: PlaygroundSetup, prompt: Prompt): readonly object[] {
  const said = turns.flatMap((turn) => [
    { role: "user", content: makeContent(turn.prompt) },
    ...(turn.answer.text === "" ? [] : [{ role: "assistant", content: turn.answer.text }]),
  ]);
  return [
    ...(system.trim() === "" ? [] : [{ role: "system", content: system.trim() }]),
    ...said,
    { role: "user", content: makeContent(prompt) },
  ];
}

function makeRequest(lane: Lane, setup: PlaygroundSetup, prompt: Prompt): object {
  return { model: lane.model, messages: makeMessages(lane, setup, prompt), ...setup.fields };
}

interface CodeDialogProps {
  readonly lanes: readonly Lane[];
  readonly setup: PlaygroundSetup;
  readonly onClose: () => void;
}

const IMAGE_SHOWN = 48;
const kept = LANGUAGES.find(({ value }) => value === readStored("language"))?.value;
const language = signal<Language>(kept ?? "curl");

/** A call as code, in the language chosen last. */
function CodeDialog({ lanes, setup, onClose }: CodeDialogProps) {
  const [lane] = lanes;
  if (!lane) return null;
  // The call behind the last answer, or a first call if there is none.
  const last = lane.turns.at(-1)?.prompt ?? { text: "Hello!", images: [] };
  const messages = makeMessages({ ...lane, turns: lane.turns.slice(0, -1) }, setup, last);
  const short = JSON.stringify(messages).replace(/(data:image\/[^"]{0,48})[^"]*/g, `$1…`);
  const example = {
    address: getGatewayUrl(),
    secret: "sk-…",
    model: lane.model,
    messages: JSON.parse(short),
    fields: { ...setup.fields, stream: true },
  };
  const choose = (value: Language) => {
    language.value = value;
    writeStored("language", value);
  };
  return (
    <Dialog title="View as code" isWide onClose={onClose}>
      <div class="stack">
        <Segments label="Language" options={LANGUAGES} value={language.value} onChange={choose} />
        <Code text={writeSnippet(language.value, example)} />
      </div>
      <p class="small faint">
        Replace sk-… with a key from Keys. Images are cut to {IMAGE_SHOWN} characters here.
      </p>
    </Dialog>
  );
}
