// The call of a tool as an operation: it has a price for each call, and neither tokens nor a place in the allowance.
import { TOOL_OPERATION } from "../../core/models/card.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
import type { ChangeText } from "../../core/text/texts.ts";
import type { Operation } from "../operation.ts";
import { makeWholeOperation } from "../whole.ts";
import type { ToolForm } from "./form.ts";
import { mapArguments, mapResult } from "./result-texts.ts";

export const TOOL: Operation<ToolForm> = {
  ...makeWholeOperation({
    name: TOOL_OPERATION,
    words: [],
    // No provider serves it.
    findCodec: () => null,
    countElements: () => 0,
    countWorst: () => NO_AMOUNTS,
    countLikely: () => NO_AMOUNTS,
    toLog: ({ arguments: given }) => ({ request: { arguments: given }, messages: [] }),
    toLogged: ({ result }) => result,
    content: "result",
  }),
  countAnswers: () => 0,
  // It has no amounts that a server could report.
  cutUsage: (reported) => ({ usage: reported, isCut: false }),
  withCost: ({ amounts, cost, charged }, more) => ({ amounts, cost, charged, ...more }),
  mapTexts(ask, change) {
    const given = mapArguments(ask.arguments, change);
    return given === ask.arguments ? ask : { ...ask, arguments: given };
  },
  mapReply: changeAnswer,
  mapPieces: (pieces, change) =>
    pieces.map((piece) =>
      piece.kind === "reply" ? { ...piece, reply: changeAnswer(piece.reply, change) } : piece,
    ),
};

function changeAnswer(answer: ToolForm["reply"], change: ChangeText): ToolForm["reply"] {
  const result = mapResult(answer.result, change);
  return result === answer.result ? answer : { ...answer, result };
}
