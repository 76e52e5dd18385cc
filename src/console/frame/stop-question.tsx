// The question that precedes a change which stops nodes of an older program, for those who may let it through.
import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Notice } from "../parts/states.tsx";
import { setAskStopping } from "./api.ts";
import { may } from "./session.ts";

interface StopQuestionState {
  readonly refusal: string;
  readonly answer: (isStopping: boolean) => void;
}

/** Asks above whatever form or button has sent the change, which then goes on with the answer. */
export function StopQuestion() {
  const [question, setQuestion] = useState<StopQuestionState | null>(null);
  useEffect(() => {
    setAskStopping(async (refusal) => {
      if (!may("nodes.stop")) return false;
      const answered = new Promise<boolean>((answer) => setQuestion({ refusal, answer }));
      return answered.finally(() => setQuestion(null));
    });
    return () => setAskStopping(null);
  }, []);
  if (question === null) return null;
  const keep = () => question.answer(false);
  const foot = (
    <>
      <Button label="Leave them running" onClick={keep} />
      <Button label="Stop them and save" kind="danger-main" onClick={() => question.answer(true)} />
    </>
  );
  return (
    <Dialog title="Stop nodes of an older program?" onClose={keep} foot={foot}>
      <Notice tone="warn">{question.refusal}</Notice>
      <p class="soft">
        If you stop them, the change is made now, and these nodes refuse every request from then on, until
        each runs this version. This can't be undone here. Clients of the other nodes notice nothing.
      </p>
    </Dialog>
  );
}
