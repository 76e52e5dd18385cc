// Dialogs on the browser's own element, which keeps the focus inside and closes on Escape.
import type { ComponentChildren, RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type useForm, useTask } from "../frame/task.ts";
import { Button } from "./button.tsx";
import { FieldErrors, findWrong, NONE_WRONG, showFirstWrong } from "./form-errors.ts";
import { Notice } from "./states.tsx";

/** Opens a dialog as it is rendered, so that there is no moment at which it is there and can't be used. */
function useModal(): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => ref.current?.showModal(), []);
  return ref;
}

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  /** True if neither a click outside nor Escape closes it, for content that is shown only once. */
  readonly isKept?: boolean;
  /** Called before a click outside or Escape closes it. False keeps it open. */
  readonly onLeave?: () => boolean;
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Dialog(props: DialogProps) {
  const { title, isWide, onClose, isKept = false, onLeave = () => true, foot, children } = props;
  const ref = useModal();
  const id = useId();
  const onClick = (event: MouseEvent) => {
    if (!isKept && event.target === ref.current && onLeave()) onClose();
  };
  // Browsers let a page refuse the event `cancel` only once in a row, but the key each time.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && (isKept || !onLeave())) event.preventDefault();
  };
  return (
    <dialog
      ref={ref}
      class={isWide ? "wide" : ""}
      aria-labelledby={id}
      onClose={onClose}
      onClick={onClick}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        if (isKept || !onLeave()) event.preventDefault();
      }}
    >
      <div class="row tight between dialog-head">
        <h2 id={id}>{title}</h2>
        <Button label="Close" kind="quiet" icon="close" isIconOnly onClick={onClose} />
      </div>
      <div class="stack dialog-body">{children}</div>
      {foot && <div class="row dialog-foot">{foot}</div>}
    </dialog>
  );
}

interface AskingProps extends Pick<DialogProps, "title" | "onClose" | "children"> {
  /** The label of the button that starts the task. */
  readonly action: string;
}

interface FormDialogProps extends AskingProps {
  readonly form: Pick<ReturnType<typeof useForm>, "isBusy" | "start" | "otherError" | "isChanged" | "error">;
}

/**
 * A form whose first wrong field is in view and in focus, and that doesn't drop what was typed without asking. Shows below
 * it an error that none of its fields shows.
 */
export function FormDialog({ title, action, form, onClose, children }: FormDialogProps) {
  const { isBusy, start, otherError, isChanged } = form;
  const error = otherError();
  const id = useId();
  const ref = useRef<HTMLFormElement>(null);
  const [wrong, setWrong] = useState(NONE_WRONG);
  const [isLeaving, setLeaving] = useState(false);
  useLayoutEffect(() => {
    if (form.error !== null || wrong.size > 0) showFirstWrong(ref.current, wrong);
  }, [form.error, wrong]);
  const submit = (event: SubmitEvent) => {
    const found = ref.current ? findWrong(ref.current) : NONE_WRONG;
    setWrong(found);
    if (found.size === 0) return start(event);
    event.preventDefault();
  };
  const focused = useRef<Element | null>(null);
  const leave = () => {
    if (isChanged && !isLeaving) focused.current = document.activeElement;
    setLeaving(isChanged);
    return !isChanged;
  };
  const stay = () => {
    setLeaving(false);
    if (focused.current instanceof HTMLElement) focused.current.focus();
  };
  const foot = isLeaving ? (
    <LeaveQuestion onDiscard={onClose} onStay={stay} />
  ) : (
    <>
      <Button label="Cancel" onClick={onClose} />
      <Button label={action} kind="main" type="submit" form={id} isBusy={isBusy} />
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} onLeave={leave} foot={foot}>
      <form
        ref={ref}
        id={id}
        class="stack"
        noValidate
        onSubmit={submit}
        onInput={() => wrong.size > 0 && setWrong(NONE_WRONG)}
      >
        <FieldErrors.Provider value={wrong}>{children}</FieldErrors.Provider>
        {error !== null && <Notice tone="bad">{error}</Notice>}
      </form>
    </Dialog>
  );
}

interface LeaveProps {
  readonly onDiscard: () => void;
  readonly onStay: () => void;
}

function LeaveQuestion({ onDiscard, onStay }: LeaveProps) {
  const question = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => question.current?.focus(), []);
  return (
    <>
      <span ref={question} class="grow" role="alert" tabIndex={-1}>
        Discard what you typed?
      </span>
      <Button label="Discard" kind="danger-main" onClick={onDiscard} />
      <Button label="Go on" onClick={onStay} />
    </>
  );
}

interface ConfirmProps extends AskingProps {
  readonly run: () => Promise<unknown>;
}

/** Asks for confirmation of an action that can't be undone. */
export function Confirm({ title, action, run, onClose, children }: ConfirmProps) {
  const { isBusy, error, start } = useTask(async () => {
    await run();
    onClose();
  });
  const foot = (
    <>
      <Button label="Cancel" onClick={onClose} />
      <Button label={action} kind="danger-main" isBusy={isBusy} onClick={start} />
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} foot={foot}>
      <p class="soft">{children}</p>
      {error !== null && <Notice tone="bad">{error}</Notice>}
    </Dialog>
  );
}

interface DrawerProps extends Pick<DialogProps, "onClose" | "children"> {
  readonly label: string;
}

/** The navigation drawer on narrow screens. */
export function Drawer({ label, onClose, children }: DrawerProps) {
  const ref = useModal();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself.
    <dialog ref={ref} class="drawer" aria-label={label} onClose={onClose} onClick={onClose}>
      {children}
    </dialog>
  );
}
