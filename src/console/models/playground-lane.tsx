// One lane of the playground: its model and the conversation.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { AliasView } from "../../admin/models/aliases.ts";
import { describeCharge, formatCount, formatDuration } from "../frame/format.ts";
import { SELECTORS, useModels } from "../frame/names.ts";
import { usePages } from "../frame/resource.ts";
import { listOperations } from "../operations/operation.ts";
import { Button } from "../parts/button.tsx";
import { type Choice, Combobox } from "../parts/combobox.tsx";
import { Figures } from "../parts/figures.tsx";
import { Notice } from "../parts/states.tsx";
import type { Prompt } from "./composer.tsx";
import { type Answer, computeSpeed } from "./playground-run.ts";

interface PlaygroundTurn {
  readonly prompt: Prompt;
  readonly answer: Answer;
}

export interface Lane {
  readonly id: number;
  readonly model: string;
  readonly turns: readonly PlaygroundTurn[];
}

interface LaneProps {
  readonly lane: Lane;
  readonly number: number;
  readonly onModel: (model: string) => void;
  /** The choice of an operation. Null if there are several lanes, which all chat. */
  readonly choice: ComponentChildren;
  /** Null if this is the only lane. */
  readonly onRemove: (() => void) | null;
}

interface LaneHeadProps extends Pick<LaneProps, "number" | "onModel"> {
  readonly model: string;
  readonly canOnlyChat?: boolean;
  readonly children: ComponentChildren;
}

/** The choice of the model, and whatever else stands beside it. */
export function LaneHead({ model, number, onModel, canOnlyChat = false, children }: LaneHeadProps) {
  const options = useChoices(canOnlyChat);
  const isKnown = options.some(({ value }) => value === model);
  return (
    <div class="row tight lane-head">
      <Combobox
        label={`Model ${number}`}
        value={model}
        options={isKnown ? options : [{ value: model, label: model }, ...options]}
        onChoose={onModel}
      />
      {children}
    </div>
  );
}

/** The selectors, the aliases and the enabled models, each with what else it does than chat. */
function useChoices(canOnlyChat: boolean): readonly Choice[] {
  const models = useModels();
  const aliases = usePages<AliasView>("/aliases").data ?? [];
  const listed = models.on.map(({ id }) => ({ id, served: listOperations(id, models) }));
  const offered = listed.filter(({ served }) => !canOnlyChat || served[0]?.value === "chat");
  return [
    ...SELECTORS.map(({ id, what }) => ({ value: id, label: id, note: what })),
    ...aliases.map(({ name }) => ({ value: name, label: name, note: "alias" })),
    ...offered.map(({ id, served: [first] }) => ({
      value: id,
      label: id,
      note: first && first.value !== "chat" ? first.label : undefined,
    })),
  ];
}

export function LaneView({ lane, number, onModel, choice, onRemove }: LaneProps) {
  const end = useRef<HTMLDivElement>(null);
  const last = lane.turns.at(-1)?.answer;
  useEffect(() => {
    const box = end.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, [last?.text, last?.reasoning, lane.turns.length]);
  return (
    <section class="card lane" aria-label={`Model ${number}: ${lane.model}`}>
      <LaneHead model={lane.model} number={number} onModel={onModel} canOnlyChat={choice === null}>
        {choice}
        {onRemove && (
          <Button label="Remove this model" kind="quiet" isTiny isIconOnly icon="close" onClick={onRemove} />
        )}
      </LaneHead>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long answers are scrolled by the keyboard too. */}
      <div class="lane-body" ref={end} tabIndex={0} role="log" aria-label={`Conversation with ${lane.model}`}>
        {lane.turns.length === 0 && <p class="faint lane-empty">Answers appear here.</p>}
        {lane.turns.map((turn, at) => (
          <TurnView key={at} turn={turn} />
        ))}
      </div>
    </section>
  );
}

function TurnView({ turn: { prompt, answer } }: { readonly turn: PlaygroundTurn }) {
  return (
    <div class="turn">
      <div class="said">
        {prompt.images.map((url) => (
          <img key={url} src={url} alt="attached" />
        ))}
        {prompt.text}
      </div>
      {answer.reasoning && (
        <details>
          <summary>Thinking</summary>
          <p class="thought">{answer.reasoning}</p>
        </details>
      )}
      <AnswerText text={answer.text} isOpen={answer.state === "waiting" || answer.state === "streaming"} />
      {answer.calls.map((call, at) => (
        <div key={at} class="answer">
          <span class="small faint">calls {call.name}</span>
          <pre>{call.arguments}</pre>
        </div>
      ))}
      {answer.error && <Notice tone="bad">{answer.error}</Notice>}
      <ChatFigures answer={answer} />
    </div>
  );
}

const FENCE = /```[^\n]*\n?/;

/** Renders fenced code as code and other text unchanged. */
function AnswerText({ text, isOpen }: { readonly text: string; readonly isOpen: boolean }) {
  const pieces = text.split(FENCE);
  return (
    <div class={isOpen ? "answer open" : "answer"}>
      {pieces.map((piece, at) => {
        if (piece === "") return null;
        return at % 2 === 1 ? <pre key={at}>{piece.trimEnd()}</pre> : <p key={at}>{piece}</p>;
      })}
    </div>
  );
}

function ChatFigures({ answer }: { readonly answer: Answer }) {
  const { state, usage, model, firstTokenMs, totalMs, finish } = answer;
  if (totalMs === null) return null;
  const speed = computeSpeed(answer);
  const parts = [
    state === "stopped" ? "stopped" : null,
    usage && `${formatCount(usage.prompt_tokens)} → ${formatCount(usage.completion_tokens)} tokens`,
    usage && describeCharge(usage),
    firstTokenMs === null ? null : `first token ${formatDuration(firstTokenMs)}`,
    speed === null ? null : `${Math.round(speed)} tokens/s`,
    finish === "length" ? "cut off at the output limit" : null,
  ];
  return <Figures model={model} totalMs={totalMs} parts={parts} />;
}
