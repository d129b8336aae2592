/** How a run ended: outcome, decisions, and what was left behind, said loudly. */
import { headText } from '../../domain/audit.ts';
import type { GateState } from '../../domain/gate.ts';
import type { UpgradeReport } from '../../domain/status.ts';
import { boardTitle } from './board.ts';
import { context, header, message, type Rendered, sections } from './elements.ts';
import { labelOf } from './gate.ts';
import { mrkdwn, person } from './text.ts';
import { when } from './time.ts';
import { duration } from '../../domain/words.ts';

/** How runs end, in a word. */
export const OUTCOMES: Record<UpgradeReport['outcome'], string> = {
  completed: '✅ Completed',
  stopped: '⏹ Stopped',
  aborted: '⏹ Aborted',
  failed: '❌ Failed',
  refused: '🚫 Refused',
};

export function reportBlocks({ status, outcome, decisions, leftBehind, audit }: UpgradeReport): Rendered {
  const title = `${OUTCOMES[outcome]}: ${boardTitle(status)}`;
  const tookMs = Date.parse(status.endedAt ?? '') - Date.parse(status.startedAt);
  const left =
    leftBehind.length === 0
      ? ['Nothing was left behind.']
      : leftBehind
          .slice(0, 30)
          .map(
            ({ what, why, kept }) => `${kept ? '❄ *Kept on purpose*' : '🚨 *Not restored*'}: ${mrkdwn(what, 200)} – ${mrkdwn(why, 250)}`,
          );
  return message(mrkdwn(`${title}. ${status.headline}`, 600), [
    header(title),
    ...sections([mrkdwn(status.headline === '' ? 'The run has ended.' : status.headline, 600), ...left], 3),
    ...(decisions.length === 0 ? [] : sections(['*Decisions*', ...decisions.slice(0, 60).map(decisionLine)], 5)),
    ...context([
      Number.isNaN(tookMs) ? '' : `Took ${duration(tookMs)}, asked for by ${person(status.requestedBy)}`,
      status.takeBack === undefined ? '' : `EKS takes it back to ${mrkdwn(status.takeBack.to, 20)} until ${when(status.takeBack.until)}`,
      audit === undefined ? '' : `Audit ${headText(audit.head)}: belay audit ${mrkdwn(status.cluster.name, 100)}`,
    ]),
  ]);
}

function decisionLine(state: GateState): string {
  const title = mrkdwn(state.gate.title, 120);
  const asked = title.endsWith('?') ? title : `${title}:`;
  switch (state.kind) {
    case 'open':
      return `• ${asked} still open`;
    case 'decided': {
      const { decision, gate } = state;
      const reason = decision.reason === undefined ? '' : ` – “${mrkdwn(decision.reason, 150)}”`;
      return `• ${asked} *${labelOf(gate, decision.choice)}* by ${person(decision.actor)}${decision.breakGlass === true ? ' 🚨 despite the rules' : ''}, ${when(decision.at)}${reason}`;
    }
    case 'expired':
      return `• ${asked} expired ${when(state.at)}`;
    case 'withdrawn':
      return `• ${asked} withdrawn, ${mrkdwn(state.why, 150)}`;
  }
}
