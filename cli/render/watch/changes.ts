/** What has changed between two looks at a run, one line each: for logs of CI, and wherever nothing can be drawn again. */
import { count } from '../../../domain/core/text.ts';
import type { UpgradeStatus } from '../../../domain/run/record/status.ts';
import type { StatusAnswer } from '../../../client/upgrades-client.ts';
import { gateClosed, gateOpened, runIs, seenByTemporal, stepIs, stepRolled } from '../../messages/watch.ts';
import { plain } from '../../shared/controls.ts';
import { gateNeeds, type WatchOf } from './view.ts';

/** `before` undefined: the first look, which says where the run is now. */
export function changesOf(before: StatusAnswer | undefined, now: StatusAnswer, of: WatchOf): string[] {
  if (now.source === 'visibility') {
    const { execution, phase, waitingFor } = now.status;
    const line = seenByTemporal(execution.toLowerCase(), phase, waitingFor);
    const was = before?.source === 'visibility' ? before.status : undefined;
    const same = was?.execution === execution && was.phase === phase && was.waitingFor === waitingFor;
    return same ? [] : [plain(line), ...(was === undefined ? [plain(now.why)] : [])];
  }
  const was = before?.source === 'workflow' && before.status.runId === now.status.runId ? before.status : undefined;
  return [...runLines(was, now.status), ...stepLines(was, now.status), ...gateLines(was, now.status, of)].map(plain);
}

function runLines(was: UpgradeStatus | undefined, { state, headline, pauseRequested }: UpgradeStatus): string[] {
  if (was?.state === state && was.headline === headline && was.pauseRequested === pauseRequested) return [];
  return [runIs(pauseRequested && state !== 'paused' ? `${state}, pause requested` : state, headline)];
}

/** Of the first look the steps that have begun. */
function stepLines(was: UpgradeStatus | undefined, { steps }: UpgradeStatus): string[] {
  const before = new Map(was?.steps.map((step) => [step.id, step]));
  return steps.flatMap(({ id, state, note, rolled }) => {
    const old = before.get(id);
    const isNew = old === undefined ? state !== 'planned' : old.state !== state;
    const isNow = state === 'running' || state === 'waiting' || state === 'failed';
    const counted =
      isNow &&
      rolled !== undefined &&
      (isNew || old?.rolled?.doneCount !== rolled.doneCount || old.rolled.totalCount !== rolled.totalCount);
    return [
      ...(isNew ? [stepIs(id, state, isNow ? note : undefined)] : []),
      ...(counted ? [stepRolled(id, rolled.doneCount, count(rolled.totalCount, rolled.unit))] : []),
    ];
  });
}

function gateLines(was: UpgradeStatus | undefined, { cluster, gates }: UpgradeStatus, of: WatchOf): string[] {
  const before = new Map(was?.gates.map((gate) => [gate.id, gate]));
  const now = new Set(gates.map(({ id }) => id));
  const opened = gates.flatMap((gate) => {
    const old = before.get(gate.id);
    if (old !== undefined && old.progress === gate.progress && old.expiresAt === gate.expiresAt) return [];
    return [gateOpened(gate.title, gateNeeds(gate, of), `belay decide ${cluster.name} '${gate.id}' ${gate.choices.join('|')}`)];
  });
  return [...[...before.values()].filter(({ id }) => !now.has(id)).map(({ title }) => gateClosed(title)), ...opened];
}
